import { GatewayError } from '../../../errors/index.ts';
import { boundedRead } from '../../bounded-read.ts';
import type { LogTime } from './times.ts';

/** Reads within a time: `maxTimeMS` is what is left of the time for the whole answer. */
export type ReadWithin<T> = (
  time: { from: number; end: number },
  options: { limit: number; maxTimeMS: number },
) => Promise<T>;

/** Times whose logs are read together: more than that may be read than is needed, where few of them match. */
const isNext = (a: LogTime, b: LogTime): boolean => a.end === b.from || b.end === a.from;

const joined = (a: LogTime, b: LogTime): LogTime => ({
  from: Math.min(a.from, b.from),
  end: Math.max(a.end, b.end),
  atMost: a.atMost + b.atMost,
  isExact: a.isExact && b.isExact,
});

/** Throws REQUEST_TIMEOUT once the time for a read is over; answers what is left of it until then. */
function countdown(): () => number {
  const end = Date.now() + boundedRead.maxTimeMS;
  return () => {
    const left = end - Date.now();
    if (left > 0) return left;
    throw new GatewayError('REQUEST_TIMEOUT', {
      message: 'Finding the logs took too long; narrow the list by filters, above all by time.',
    });
  };
}

/** Times that are read beside each other: most of such a read is the way to the store and back. */
const ABREAST = 8;

/**
 * The first `limit` of what is found in the times, one after the other, until there are enough. Times are gathered until there may
 * be enough in them, so that none of those is read for nothing.
 */
export async function readNarrowed<T>(
  times: AsyncIterable<LogTime>,
  limit: number,
  read: ReadWithin<T[]>,
): Promise<T[]> {
  const left = countdown();
  const found: T[] = [];
  let gathered: LogTime[] = [];
  let atMost = 0;
  const flush = async () => {
    for (let at = 0; at < gathered.length && found.length < limit; at += ABREAST) {
      const options = { limit: limit - found.length, maxTimeMS: left() };
      const some = gathered.slice(at, at + ABREAST);
      found.push(...(await Promise.all(some.map((time) => read(time, options)))).flat());
    }
    gathered = [];
    atMost = found.length;
  };
  for await (const time of times) {
    const last = gathered.at(-1);
    if (last && isNext(last, time)) gathered[gathered.length - 1] = joined(last, time);
    else gathered.push(time);
    atMost += time.atMost;
    if (atMost < limit) continue;
    await flush();
    if (found.length >= limit) break;
  }
  await flush();
  return found.slice(0, limit);
}

/** The number of what is in the times: counted where they do not say it themselves. */
export async function countNarrowed(
  times: AsyncIterable<LogTime>,
  count: ReadWithin<number>,
): Promise<number> {
  const left = countdown();
  let total = 0;
  let group: LogTime | null = null;
  const flush = async (time: LogTime) => {
    total += await count(time, { limit: 0, maxTimeMS: left() });
  };
  for await (const time of times) {
    if (time.isExact) total += time.atMost;
    else if (group && isNext(group, time)) group = joined(group, time);
    else {
      if (group) await flush(group);
      group = time;
    }
  }
  if (group) await flush(group);
  return total;
}
