import { NONE } from './number.ts';

/** Milliseconds as people read them: `809 ms`, `1.9 s`, `2 min 5 s`. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return NONE;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${trimmed(milliseconds / 1000, milliseconds < 9950 ? 2 : 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return joined(seconds, 60, 'min', 's');
  if (seconds < 86_400) return joined(Math.round(seconds / 60), 60, 'h', 'min');
  return joined(Math.round(seconds / 3600), 24, 'd', 'h');
}

const trimmed = (value: number, digits: number) => value.toFixed(digits).replace(/\.?0+$/, '');

function joined(value: number, size: number, large: string, small: string): string {
  const rest = value % size;
  const whole = `${Math.floor(value / size)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/** In which zone times are shown: that of the browser, or UTC. */
export type Zone = 'local' | 'utc';

/** Name of a zone in the IANA database. */
export const zoneName = (zone: Zone): string =>
  zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([zone, options]);
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zoneName(zone) });
  formats.set(key, made);
  return made;
}

const at = (value: string | number | Date) => new Date(value);

/** `14:02:11.204`. */
export const clock = (value: string | number | Date, zone: Zone): string =>
  formatIn(zone, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(at(value));

/** `14:02`. */
export const hourAndMinute = (value: string | number | Date, zone: Zone): string =>
  formatIn(zone, { hour: '2-digit', minute: '2-digit' }).format(at(value));

/** `23 Nov`. */
export const day = (value: string | number | Date, zone: Zone): string =>
  formatIn(zone, { day: 'numeric', month: 'short' }).format(at(value));

/** `November`. */
export const monthName = (value: string | number | Date, zone: Zone): string =>
  formatIn(zone, { month: 'long' }).format(at(value));

/** `23 Nov 2026, 14:02`. */
export const dateAndTime = (value: string | number | Date, zone: Zone): string =>
  formatIn(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at(value));

/** `23 Nov 2026, 14:02:11.204`. */
export const exactTime = (value: string | number | Date, zone: Zone): string =>
  `${formatIn(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(at(value))}, ${clock(value, zone)}`;

/** `2 min ago`, `in 12 d`; `now` within ten seconds. */
export function relative(value: string | number | Date, now: number): string {
  const difference = at(value).getTime() - now;
  const size = Math.abs(difference);
  if (size < 10_000) return 'now';
  const text = coarse(size);
  return difference < 0 ? `${text} ago` : `in ${text}`;
}

/** The largest unit alone: `2 min`, `12 d`. */
export function coarse(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  if (seconds < 60 * 86_400) return `${Math.round(seconds / 86_400)} d`;
  return `${Math.round(seconds / (30.44 * 86_400))} months`;
}
