/** Days before its expiry on which a key's people are told. */
const NOTICE_DAYS = [7, 1];
const DAY_MS = 86_400_000;

/** The first notice that is still to come; null without an expiry. */
export function nextNotice(expiresAt: Date | null, now: Date): Date | null {
  if (expiresAt === null) return null;
  const moments = NOTICE_DAYS.map((days) => new Date(expiresAt.getTime() - days * DAY_MS));
  return moments.find((moment) => moment > now) ?? null;
}

/** Days of the notice that is due now: after an outage of days, the last of those that were missed. */
export function daysOfNotice(expiresAt: Date, now: Date): number | null {
  const left = expiresAt.getTime() - now.getTime();
  return left <= 0 ? null : (NOTICE_DAYS.toReversed().find((days) => left <= days * DAY_MS) ?? null);
}
