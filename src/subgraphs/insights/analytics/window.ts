import { invalidInput } from '../../../errors/index.ts';
import { DAY, HOUR, MINUTE, startOf } from '../../../recording/rollups/buckets.ts';

/** The time that analytics are asked for, and the points of its graphs. */
export type Window = {
  /** Milliseconds since 1970. */
  from: number;
  /** Not included. */
  end: number;
  points: { first: number; length: number; count: number };
};

const LONGEST = 400 * DAY;
/** The longest times that have points of a minute, and of an hour. */
const MINUTES_UP_TO = 6 * HOUR;
const HOURS_UP_TO = 14 * DAY;

const lengthFor = (time: number): number =>
  time <= MINUTES_UP_TO ? MINUTE : time <= HOURS_UP_TO ? HOUR : DAY;

/** The window between two moments, both included; throws VALIDATION_FAILED when it is none, or too long. */
export function windowOf(min: Date, max: Date): Window {
  const from = min.getTime();
  const time = max.getTime() - from;
  if (time < 0) throw invalid('must not be before the beginning.');
  if (time > LONGEST) throw invalid(`must be at most ${LONGEST / DAY} days after the beginning.`);
  const length = lengthFor(time);
  const first = startOf(from, length);
  const count = (startOf(max.getTime(), length) - first) / length + 1;
  return { from, end: max.getTime() + 1, points: { first, length, count } };
}

const invalid = (problem: string) => {
  const param = 'timeOfGenerationMax';
  return invalidInput(param, `${param} ${problem}`);
};

/** One thing for each point of the window's graphs. */
export const eachPoint = <T>({ points }: Window, make: (timestamp: Date) => T): T[] =>
  Array.from({ length: points.count }, (_, index) => make(new Date(points.first + index * points.length)));

/** Which of the points a moment belongs to. */
export const pointAt = ({ points }: Window, moment: number): number =>
  Math.floor((moment - points.first) / points.length);
