import { expect, test } from '@jest/globals';
import { type RunEventBatch, RunEventWriter } from '../../src/runs/events/batches.ts';
import type { RunDocument } from '../../src/runs/run.ts';
import { eventually } from '../support/eventually.ts';

const run = { _id: 'run_1', fence: 2, organisationId: 'o', workspaceId: 'w' } as RunDocument;
const placesOf = ({ from, to, events }: RunEventBatch) => [from, to, ...events.map(({ event }) => event)];

function setUp(stored: Promise<void>) {
  const begun: RunEventBatch[] = [];
  const ends: (() => void)[] = [];
  const eventLog = {
    write(batch: RunEventBatch) {
      begun.push(batch);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  };
  const writer = new RunEventWriter(
    { eventLog, now: () => new Date(), log: { warn: () => undefined } as never },
    run,
    stored,
  );
  const push = (...names: string[]) => {
    for (const event of names) writer.push({ event, data: {} });
  };
  return { writer, begun, ends, push };
}

test('events wait for their run to be stored, and then go in one batch', async () => {
  const stored = Promise.withResolvers<void>();
  const { writer, begun, push } = setUp(stored.promise);
  push('a', 'b');
  writer.flush();
  push('c');
  writer.flush();
  expect(begun).toEqual([]);
  stored.resolve();
  await eventually(async () => expect(begun.map(placesOf)).toEqual([[1, 3, 'a', 'b', 'c']]));
});

test('what is told while a batch is being written goes in the one behind it, in order', async () => {
  const { writer, begun, ends, push } = setUp(Promise.resolve());
  push('a');
  writer.flush();
  await eventually(async () => expect(begun).toHaveLength(1));
  for (const event of ['b', 'c', 'd']) {
    push(event);
    writer.flush();
  }
  expect(begun).toHaveLength(1);
  ends[0]?.();
  await eventually(async () =>
    expect(begun.map(placesOf)).toEqual([
      [1, 1, 'a'],
      [2, 4, 'b', 'c', 'd'],
    ]),
  );
});

test('nothing is written of a run that could not be stored', async () => {
  const { writer, begun, push } = setUp(Promise.reject(new Error('The store is away.')));
  push('a');
  writer.flush();
  await new Promise((resolve) => setImmediate(resolve));
  push('b');
  writer.flush();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([]);
});
