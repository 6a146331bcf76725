import { csvLine } from '../csv.ts';
import type { Bar } from './bars.tsx';

/** The names of the parts that bars have, from the foot upwards, each once. */
export const namesIn = (bars: readonly Bar[]): string[] => [
  ...new Set(bars.flatMap(({ parts }) => parts.map(({ name }) => name))),
];

/** The figures of bars as CSV: a line for each, which begins with its moment. */
export function csvOf(bars: readonly Bar[], format: (value: number) => string): string {
  const names = namesIn(bars);
  const lines = bars.map(({ at, parts }) => [
    new Date(at).toISOString(),
    ...names.map((name) => format(parts.find((part) => part.name === name)?.value ?? 0)),
  ]);
  return [['time', ...names], ...lines, []].map(csvLine).join('\n');
}
