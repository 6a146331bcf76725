const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The lengths of time that roll-ups are kept for. */
export const spans = { minute: MINUTE, hour: HOUR } as const;
export type TimeSpan = keyof typeof spans;

/** Milliseconds that minutes are kept; hours are kept as long as the logs in them. */
export const MINUTES_KEPT = 3 * DAY;

/** The beginning of the bucket that a moment is in; all are UTC. */
export const startOf = (moment: number, length: number): number => Math.floor(moment / length) * length;
