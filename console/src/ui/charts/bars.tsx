import { type PointerEvent, useId, useRef, useState } from 'react';
import { classes } from '../classes.ts';
import { BarTable } from './bar-table.tsx';
import { type Colour, paint } from './colours.ts';
import { Hatches, Stack } from './stack.tsx';

export type BarPart = { name: string; value: number; colour: Colour };

/** One bar, from its foot upwards. */
export type Bar = {
  at: number;
  label: string;
  parts: readonly BarPart[];
  /** Whether its time is not over: it is hatched, and its label says so too. */
  isRunning?: boolean;
};

type BarsProps = {
  bars: readonly Bar[];
  /** A sentence that says what there is to see. */
  title: string;
  /** Of a value. */
  format(value: number): string;
  height?: number;
  /** What a click on a bar, or a drag over several, chooses: their first and their last. */
  onChoose?(first: Bar, last: Bar): void;
  className?: string;
};

const totalOf = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

/** Bars over time that begin at 0; dragging over them chooses a time. Their figures are there as a table too. */
export function Bars({ bars, title, format, height = 72, onChoose, className }: BarsProps) {
  const id = useId();
  const figure = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [from, setFrom] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
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
          <Hatches id={`${id}-hatches`} />
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
              hatches={bar.isRunning ? `url(#${id}-hatches)` : null}
              isFaint={hovered !== null && hovered !== index && from === null}
            />
          ))}
        </svg>
        {shown && <Tip bar={shown} format={format} place={((hovered ?? 0) + 0.5) / bars.length} />}
      </div>
      <div className="flex items-center justify-between pt-1 text-meta text-faint">
        <span>{bars[0]?.label}</span>
        <button
          type="button"
          aria-expanded={isTable}
          aria-controls={isTable ? `${id}-table` : undefined}
          onClick={() => setTable(!isTable)}
          className="-my-1 min-h-6 rounded-control px-2 text-muted underline max-sm:min-h-8 hover:text-text"
        >
          Table
        </button>
        <span>{bars.at(-1)?.label}</span>
      </div>
      {isTable && <BarTable id={`${id}-table`} bars={bars} title={title} format={format} />}
    </figure>
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
