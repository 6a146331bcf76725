import { hash } from 'node:crypto';
import type { Limit, LimitWindow } from '../limit.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** The epoch was a Thursday, three days after a Monday. */
const FIRST_MONDAY = -3 * DAY;

/** From when to when a window lasts, in milliseconds since the epoch; null for no such end. */
export type WindowSpan = { from: number | null; until: number | null };

/** The window of a time, in milliseconds since the epoch. */
export function windowAt(window: LimitWindow, now: number): WindowSpan {
  switch (window.kind) {
    case 'bucket':
    case 'forever':
      return { from: null, until: null };
    case 'fixed':
      return aligned(now, window.seconds * 1000, 0);
    case 'weekly':
      return aligned(now, WEEK, FIRST_MONDAY);
    case 'days':
      return aligned(now, window.days * DAY, window.from);
    case 'monthly': {
      const at = new Date(now);
      const month = (more: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + more, 1);
      return { from: month(0), until: month(1) };
    }
  }
}

function aligned(now: number, length: number, origin: number): WindowSpan {
  const from = origin + Math.floor((now - origin) / length) * length;
  return { from, until: from + length };
}

/** The id of a counter: the same in every process, and another one in every window. */
export const counterId = (limit: Limit, valueKey: string, span: WindowSpan): string =>
  counterOfEntity(limit, hash('sha256', valueKey, 'base64url').slice(0, 16), span);

/** The id of the counter that an entity, one value of a limit, has in a window. */
export function counterOfEntity(limit: Limit, entity: string, { from }: WindowSpan): string {
  const start = limit.window.kind === 'bucket' ? 'b' : (from ?? 'f');
  return `${limit.id}:${start}:${entity}`;
}

/** What the counters of one value have in common in all windows. */
export const entityOf = (id: string): string => id.slice(id.lastIndexOf(':') + 1);

/** Milliseconds for which a counter is kept as history after its window. */
const HISTORY = 400 * DAY;

/** When a counter may be removed from the store; null while its window has no end. */
export function expiryOf(limit: Limit, { until }: WindowSpan, now: number): Date | null {
  if (limit.window.kind === 'bucket') return new Date(now + 2 * limit.window.seconds * 1000 + DAY);
  return until === null ? null : new Date(until + HISTORY);
}
