import { invalidInput } from '../../../../errors/index.ts';
import { DAY, HOUR, MINUTE } from '../../../../recording/rollups/buckets.ts';

/** Tells the day of a moment, as the calendar of one place has it: whole days since 1970. */
export type Calendar = (moment: number) => number;

/** Throws VALIDATION_FAILED for a time zone that is none. */
export function calendarOf(timeZone: string): Calendar {
  const format = formatOf(timeZone);
  return (moment) => {
    const parts = { year: 0, month: 0, day: 0 };
    for (const { type, value } of format.formatToParts(moment)) {
      if (type in parts) parts[type as keyof typeof parts] = Number(value);
    }
    return Date.UTC(parts.year, parts.month - 1, parts.day) / DAY;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidInput('timeZone', 'timeZone must be a name of the IANA database, such as Europe/Berlin.');
  }
}

/** No place is further from UTC. */
const FURTHEST = 15 * HOUR;

/**
 * The beginnings of the days from one moment to another, both of which are in one of them. A day has 24 hours but where clocks
 * are changed; one that a place left out is left out.
 */
export function daysBetween(from: number, until: number, dayOf: Calendar): number[] {
  const starts: number[] = [];
  const last = dayOf(until);
  for (let day = dayOf(from); day <= last; day++) {
    const before = starts.at(-1);
    const start = startOfDay(day, dayOf, before === undefined ? day * DAY : before + DAY);
    if (start !== before) starts.push(start);
  }
  return starts;
}

/** The first minute that is not before the day; `guess` saves a search where it is that. */
function startOfDay(day: number, dayOf: Calendar, guess: number): number {
  if (dayOf(guess) === day && dayOf(guess - MINUTE) < day) return guess;
  let before = day * DAY - FURTHEST;
  let within = day * DAY + FURTHEST;
  while (within - before > MINUTE) {
    const middle = before + Math.floor((within - before) / MINUTE / 2) * MINUTE;
    if (dayOf(middle) < day) before = middle;
    else within = middle;
  }
  return within;
}
