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

/** The first `limit` of what is found in the times, one after the other, until there are enough. */
export async function readNarrowed<T>(
  times: AsyncIterable<LogTime>,
  limit: number,
  read: ReadWithin<T[]>,
): Promise<T[]> {
  const left = countdown();
  const found: T[] = [];
  let group: LogTime | null = null;
  const flush = async (time: LogTime) => {
    found.push(...(await read(time, { limit: limit - found.length, maxTimeMS: left() })));
  };
  for await (const time of times) {
    if (group && isNext(group, time) && group.atMost < limit - found.length) group = joined(group, time);
    else {
      if (group) await flush(group);
      if (found.length >= limit) return found;
      group = time;
    }
  }
  if (group) await flush(group);
  return found;
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
