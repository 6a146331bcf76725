import { Fragment } from 'react';
import type { Bar } from './bars.tsx';
import { paint } from './colours.ts';

/** What lies over a bar whose time is not over. */
export const Hatches = ({ id }: { id: string }) => (
  <defs>
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="3" height="6" fill="var(--surface)" opacity={0.6} />
    </pattern>
  </defs>
);

type StackProps = {
  bar: Bar;
  x: number;
  width: number;
  scale: number;
  base: number;
  isFaint: boolean;
  hatches: string | null;
};

/** The parts of a bar, one upon the other. */
export function Stack({ bar, x, width, scale, base, isFaint, hatches }: StackProps) {
  let foot = base;
  return (
    <g opacity={isFaint ? 0.55 : 1}>
      {bar.parts.map(({ name, value, colour }) => {
        if (value <= 0) return null;
        // A single failure among thousands still has to be seen.
        const height = Math.max(value * scale, 1.5);
        foot -= height;
        const box = { x: `${x + width * 0.12}%`, width: `${width * 0.76}%`, y: foot, height, rx: 0.5 };
        return (
          <Fragment key={name}>
            <rect {...box} fill={paint(colour)} />
            {hatches && <rect {...box} fill={hatches} />}
          </Fragment>
        );
      })}
    </g>
  );
}
