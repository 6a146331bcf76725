// Lists of rare logs are read hour by hour, where roll-ups say that there may be some.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ReadWithin, readNarrowed } from '../../../src/subgraphs/insights/log-filters/narrowed.ts';

const HOUR = 3_600_000;

/** How many logs an hour has, how many more there might have been, and how many hours without any are before it. */
const someHour = fc.record({ logs: fc.nat(5), more: fc.nat(3), gap: fc.nat(1) });
const isSlow = fc.infiniteStream(fc.boolean());

test('the first logs of some hours come in their order, and no hour is read for nothing', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someHour, { maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      isSlow,
      async (hours, limit, slow) => {
        let end = 0;
        const times = hours.map(({ logs, more, gap }) => {
          const from = end + gap * HOUR;
          end = from + HOUR;
          return { from, end, logs, atMost: logs + more, isExact: more === 0 };
        });
        const all = times.flatMap(({ from, logs }) =>
          Array.from({ length: logs }, (_, index) => from + index),
        );
        const read: ReadWithin<number[]> = async ({ from, end }, { limit: most }) => {
          expect(all.filter((log) => log < from).length).toBeLessThan(limit);
          if (slow.next().value) await new Promise(setImmediate);
          return all.filter((log) => log >= from && log < end).slice(0, most);
        };
        const given = (async function* () {
          yield* times;
        })();
        expect(await readNarrowed(given, limit, read)).toEqual(all.slice(0, limit));
      },
    ),
  ));
