import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Crashes, type Outcome, type Point } from '../../scripts/prove-runs/matrix.ts';

let directory: string;
let crashes: Crashes;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-crashes-'));
  crashes = await Crashes.start(directory, 2);
});
afterAll(async () => {
  await crashes.stop();
  await rm(directory, { recursive: true, force: true });
});

const requireSound = ({ operation, faults }: Outcome) => {
  expect(faults).toEqual([]);
  expect(operation).not.toBeNull();
};

describe('a run of a process that does not reach its database', () => {
  const never = { kind: 'throw', when: 'before' } as const;
  const unheard = { kind: 'throw', when: 'after' } as const;
  it.each<Point>([
    { scenario: 'polled', at: 4, ...unheard },
    { scenario: 'streamed', at: 5, ...never },
    { scenario: 'streamed', at: 8, ...never },
    { scenario: 'polled', at: 8, ...unheard },
    { scenario: 'cancelled', at: 7, ...unheard },
    { scenario: 'deleted', at: 7, ...never },
    ...[1, 2, 3].map((at) => ({ scenario: 'together', at, ...never }) as const),
    { scenario: 'expired', at: 8, ...unheard },
    { scenario: 'expired', at: 9, ...never },
  ])('$scenario: comes to its one end though operation $at fails $when it is done', async (point) =>
    requireSound(await crashes.meet(point)),
  );
});

describe('a run of a process that dies or stands still', () => {
  it.each<Point>([
    { scenario: 'streamed', at: 6, kind: 'kill', when: 'after' },
    { scenario: 'polled', at: 9, kind: 'kill', when: 'before' },
    { scenario: 'polled', at: 6, kind: 'stop', when: 'before' },
    { scenario: 'deleted', at: 4, kind: 'stop', when: 'before' },
  ])(
    '$scenario: $kind at operation $at leaves one end, one message a step, and a free thread',
    async (point) => requireSound(await crashes.meet(point)),
    60_000,
  );
});
