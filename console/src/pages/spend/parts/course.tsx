import { money } from '../../../format/money.ts';
import { dateAndTime, day, type Zone } from '../../../format/time.ts';
import { type Bar, Bars, colourOf, Swatch } from '../../../ui/index.ts';
import type { SpendQuery } from '../documents.ts';

type Now = NonNullable<SpendQuery['now']>;

type CourseProps = {
  now: Now;
  nameOf(value: string | null): string;
  zone: Zone;
  /** The moment at which the time ends that is still running; null for a time that is over. */
  until: number | null;
  /** Whether the names of the colours stand below it, where no table has them. */
  hasNames: boolean;
  onZoom(from: number, to: number): void;
};

const DAY_MS = 24 * 3_600_000;

/** The five largest, and the others, over the time; each keeps its colour for the whole visit. */
export function Course({ now, nameOf, zone, until, hasNames, onZoom }: CourseProps) {
  const times = now.cost.dataPoints.map(({ timestamp }) => Date.parse(timestamp));
  const step = (times[1] ?? 0) - (times[0] ?? 0) || DAY_MS;
  const label = (at: number) => (step >= DAY_MS ? day(at, zone) : dateAndTime(at, zone));
  const largest = now.largest.data.map(({ value, dataPoints }) => ({
    name: nameOf(value),
    values: dataPoints.map((point) => point.value),
  }));
  const bars: Bar[] = now.cost.dataPoints.map(({ total }, index) => {
    const parts = largest.map(({ name, values }) => ({
      name,
      value: values[index] ?? 0,
      colour: colourOf(name),
    }));
    const rest = total - parts.reduce((sum, { value }) => sum + value, 0);
    const at = times[index] ?? 0;
    // Sums of fractions differ in their last digits.
    const other = { name: 'other', value: rest > total * 1e-9 ? rest : 0, colour: 'other' as const };
    const isRunning = until !== null && at + step > until;
    return {
      at,
      label: isRunning ? `${label(at)}, so far` : label(at),
      parts: [...parts, other].filter(({ value }) => value > 0),
      isRunning,
    };
  });
  return (
    <div className="px-4 pt-10 pb-3 sm:px-6">
      <Bars
        bars={bars}
        title={`Cost over the time, ${largest.map(({ name }) => name).join(', ')} and others`}
        format={money}
        height={160}
        onChoose={(first, last) => onZoom(first.at, last.at + step)}
      />
      {hasNames && <Names of={largest.map(({ name }) => name)} />}
    </div>
  );
}

const Names = ({ of }: { of: readonly string[] }) => (
  <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-2 text-meta text-muted">
    {of.map((name) => (
      <li key={name} className="flex items-center gap-1.5">
        <Swatch colour={colourOf(name)} />
        {name}
      </li>
    ))}
  </ul>
);
