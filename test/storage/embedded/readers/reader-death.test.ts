import { expect, test } from '@jest/globals';
import type { Document } from 'mongodb';
import { isUnavailable } from '../../../../src/storage/unavailable.ts';
import { errorOf, startServer } from '../support.ts';

/** Two thousand megabytes of text in one document, which no stage sees before they are there. */
const tooMuch = [
  { $limit: 1 },
  {
    $set: {
      pad: {
        $reduce: {
          input: { $range: [0, 10] },
          initialValue: '$pad',
          in: { $concat: ['$$value', '$$value'] },
        },
      },
    },
  },
  { $project: { n: { $size: { $map: { input: { $range: [0, 20_000] }, in: { $toUpper: '$pad' } } } } } },
];

test('a reader that dies for want of memory takes its own statements with it, and nothing else', async () => {
  const running = await startServer();
  const items = running.db.collection<Document>('items');
  await items.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n, pad: 'x'.repeat(100) })));
  const slow = { $expr: { $gte: ['$n', 0] } };
  const cursors = [1, 2, 3, 4].map(() => items.find(slow, { batchSize: 2 }));
  for (const cursor of cursors) await cursor.next();

  const dying = errorOf(items.aggregate(tooMuch).toArray());
  for (let n = 0; n < 20; n++) await items.updateOne({ n: 1 }, { $inc: { writes: 1 } });
  const error = await dying;
  expect(error.code).toBe(11601);
  expect(error.message).toMatch(/memory/);
  expect(isUnavailable(error)).toBe(true);

  // A cursor in the other reader goes on; one in this reader has nothing to go on with, and says so.
  const outcomes = await Promise.all(
    cursors.map((cursor) =>
      cursor.toArray().then(
        (rest) => rest.length,
        (lost) => (isUnavailable(lost) ? lost.code : lost),
      ),
    ),
  );
  expect(outcomes).toContain(43);
  expect(outcomes.every((outcome) => outcome === 43 || outcome === 2999)).toBe(true);
  expect(await items.countDocuments(slow)).toBe(3000);
  expect(await items.findOne({ n: 1 })).toMatchObject({ writes: 20 });
  await running.stop();
});
