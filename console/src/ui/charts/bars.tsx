import { type PointerEvent, useId, useRef, useState } from 'react';
import { classes } from '../classes.ts';
import { type Colour, paint } from './colours.ts';

export type BarPart = { name: string; value: number; colour: Colour };

/** One bar, from its foot upwards. */
export type Bar = { at: number; label: string; parts: readonly BarPart[] };

type BarsProps = {
  bars: readonly Bar[];
  /** A sentence that says what there is to see. */
  title: string;
  /** Of a value. */
  format(value: number): string;
  height?: number;
  /** What a click on a bar, or a drag over several, chooses: their first and their last. */
  onChoose?(first: Bar, last: Bar): void;
  /** Labels below the first and the last bar. */
  hasEnds?: boolean;
  className?: string;
};

const totalOf = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

/** Bars over time that begin at 0; dragging over them chooses a time. */
export function Bars({ bars, title, format, height = 72, onChoose, hasEnds, className }: BarsProps) {
  const id = useId();
  const figure = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [from, setFrom] = useState<number | null>(null);
  const top = Math.max(...bars.map(totalOf), 0);
  const width = 100 / Math.max(bars.length, 1);

  const indexAt = (event: PointerEvent) => {
    const { left, width: whole } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / whole) * bars.length);
    return Math.min(Math.max(index, 0), bars.length - 1);
  };
  const choose = (to: number) => {
    const [first, last] = [bars[Math.min(from ?? to, to)], bars[Math.max(from ?? to, to)]];
    if (first && last) onChoose?.(first, last);
  };
  const shown = hovered === null ? undefined : bars[hovered];
  return (
    <figure className={classes('m-0', className)} aria-labelledby={id}>
      <figcaption id={id} className="sr-only">
        {title}
      </figcaption>
      <div
        ref={figure}
        className={classes('relative touch-pan-y select-none', onChoose && 'cursor-crosshair')}
        style={{ height }}
        onPointerMove={(event) => setHovered(indexAt(event))}
        onPointerLeave={() => setHovered(null)}
        onPointerDown={(event) => {
          if (!onChoose || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setFrom(indexAt(event));
        }}
        onPointerUp={(event) => {
          if (from === null) return;
          choose(indexAt(event));
          setFrom(null);
        }}
      >
        <svg width="100%" height={height} aria-hidden className="block overflow-visible">
          <line x1="0" x2="100%" y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
          {from !== null && hovered !== null && (
            <rect
              x={`${Math.min(from, hovered) * width}%`}
              width={`${(Math.abs(hovered - from) + 1) * width}%`}
              height={height}
              fill="var(--accent)"
              opacity={0.12}
            />
          )}
          {bars.map((bar, index) => (
            <Stack
              key={bar.at}
              bar={bar}
              x={index * width}
              width={width}
              scale={top === 0 ? 0 : (height - 4) / top}
              base={height}
              isFaint={hovered !== null && hovered !== index && from === null}
            />
          ))}
        </svg>
        {shown && <Tip bar={shown} format={format} place={((hovered ?? 0) + 0.5) / bars.length} />}
      </div>
      {hasEnds && (
        <div className="flex justify-between pt-1 text-meta text-faint">
          <span>{bars[0]?.label}</span>
          <span>{bars.at(-1)?.label}</span>
        </div>
      )}
    </figure>
  );
}

type StackProps = { bar: Bar; x: number; width: number; scale: number; base: number; isFaint: boolean };

function Stack({ bar, x, width, scale, base, isFaint }: StackProps) {
  let foot = base;
  return (
    <g opacity={isFaint ? 0.55 : 1}>
      {bar.parts.map(({ name, value, colour }) => {
        if (value <= 0) return null;
        // A single failure among thousands still has to be seen.
        const height = Math.max(value * scale, 1.5);
        foot -= height;
        return (
          <rect
            key={name}
            x={`${x + width * 0.12}%`}
            width={`${width * 0.76}%`}
            y={foot}
            height={height}
            rx={0.5}
            fill={paint(colour)}
          />
        );
      })}
    </g>
  );
}

function Tip({ bar, format, place }: { bar: Bar; format(value: number): string; place: number }) {
  return (
    <div
      className="pointer-events-none absolute bottom-full z-20 mb-1 rounded-control border border-line bg-surface px-2 py-1 text-meta whitespace-nowrap shadow-float"
      style={place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` }}
    >
      <div className="text-faint">{bar.label}</div>
      {bar.parts.map(({ name, value, colour }) => (
        <div key={name} className="flex items-center gap-2">
          <span className="size-2 rounded-[2px]" style={{ background: paint(colour) }} />
          <span className="flex-1">{name}</span>
          <span className="pl-3 font-[560]">{format(value)}</span>
        </div>
      ))}
    </div>
  );
}
