import { invalidInput } from '../../../../errors/index.ts';
import { DAY, HOUR, MINUTE, startOf } from '../../../../recording/rollups/buckets.ts';
import { calendarOf, daysBetween } from './days.ts';

/** The time that analytics are asked for, and the points of its graphs. */
export type Window = {
  /** Milliseconds since 1970. */
  from: number;
  /** Not included. */
  end: number;
  points: {
    /** The beginning of each point, which goes on until the next. */
    starts: number[];
    /** Milliseconds of a point; of days, as they mostly are. */
    length: number;
  };
  /** Whole hours that belong to two points, by their beginning, and when the second one begins: days of some places do at half past. */
  splitHours: ReadonlyMap<number, number>;
};

export const LONGEST = 400 * DAY;
/** The longest times that have points of a minute, and of an hour. */
const MINUTES_UP_TO = 6 * HOUR;
const HOURS_UP_TO = 14 * DAY;

const lengthFor = (time: number): number =>
  time <= MINUTES_UP_TO ? MINUTE : time <= HOURS_UP_TO ? HOUR : DAY;

/** The window between two moments, both included; throws VALIDATION_FAILED when it is none, or too long. */
export function windowOf(
  min: Date,
  max: Date,
  { timeZone, param = 'timeOfGenerationMax' }: { timeZone: string; param?: string },
): Window {
  const from = min.getTime();
  const time = max.getTime() - from;
  if (time < 0) throw invalidInput(param, `${param} must not be before the beginning.`);
  if (time > LONGEST) {
    throw invalidInput(param, `${param} must be at most ${LONGEST / DAY} days after the beginning.`);
  }
  const calendar = calendarOf(timeZone);
  const length = lengthFor(time);
  const starts =
    length === DAY ? daysBetween(from, max.getTime(), calendar) : evenly(from, max.getTime(), length);
  const odd = starts.filter((start) => length === DAY && start % HOUR !== 0);
  const splitHours = new Map(odd.map((start) => [startOf(start, HOUR), start]));
  return { from, end: max.getTime() + 1, points: { starts, length }, splitHours };
}

/** Beginnings at whole minutes or hours, which are those of every zone but for hours of the few that are half an hour off. */
function evenly(from: number, until: number, length: number): number[] {
  const first = startOf(from, length);
  const count = (startOf(until, length) - first) / length + 1;
  return Array.from({ length: count }, (_, index) => first + index * length);
}

/** One thing for each point of the window's graphs. */
export const eachPoint = <T>({ points }: Window, make: (timestamp: Date) => T): T[] =>
  points.starts.map((start) => make(new Date(start)));

/** Which of the points a moment belongs to. */
export function pointAt({ points: { starts, length } }: Window, moment: number): number {
  // Right, or off by one where a day before it was longer or shorter than most.
  let index = Math.floor((moment - (starts[0] ?? 0)) / length);
  while (index > 0 && (starts[index] ?? Infinity) > moment) index--;
  while ((starts[index + 1] ?? Infinity) <= moment) index++;
  return index;
}
