import { test } from '@jest/globals';
import fc from 'fast-check';
import type { Limit } from '../../../src/limits/limit.ts';
import { rounds } from '../../support/long.ts';
import { limitOf } from '../engine/support.ts';
import { type Command, command, exchange, type Limits, learn, look, recover, run } from './commands.ts';
import { check, checkBudgets } from './invariants.ts';
import { type Process, World } from './world.ts';

/** Milliseconds in which what lies idle in one process comes to another that asks for it: idle leases end after 30 s. */
const LONGEST_MS = 70_000;
const TURN_MS = 20;

const budgets = (): Limits => ({
  current: [
    limitOf({ amount: 700, waitMs: 1000 }),
    limitOf({ amount: 40, waitMs: 300, window: { kind: 'fixed', seconds: 3600 } }),
  ],
  known: new Map(),
});

/** Everything arrives, every call ends, every journal is read. */
function calmDown(world: World, limits: Limits): void {
  for (const { updates, from } of world.air.splice(0)) world.deliver(updates, from);
  for (const process of world.processes) learn(limits, process);
  settleAll(world);
  recover(world, 'ok');
}

const settleAll = (world: World): void => {
  for (const process of world.processes) while (process.calls.length > 0) world.settle(process, 0, 1);
};

/** What is left of a counter for a process that asks: in the room, and idle in processes that live. */
function leftOf({ store, processes }: World, id: string): number {
  const counter = store.counters.get(id);
  if (!counter) return Number.POSITIVE_INFINITY;
  const living = Object.entries(counter.L).filter(([key]) =>
    processes.some(({ id }) => key.startsWith(`${id}-`)),
  );
  return living.reduce((sum, [, { g, u, h }]) => sum + g - u - h, counter.room);
}

/**
 * I10: one process asks for unit after unit, and nothing must be left in the end. The others want nothing, or always more than
 * there is.
 */
function spendAll(world: World, limit: Limit, isRefused: boolean): void {
  const [one] = world.processes as [Process];
  // Asked for a unit of nothing, nobody looks at the counter.
  if (limit.amount === 0) return;
  const until = world.now + LONGEST_MS;
  const isAsking = () => one.ledger.rounds.waiting.size > 0;
  let left = Number.POSITIVE_INFINITY;
  while (world.now < until && left >= 1) {
    for (let calls = 0; calls < 10 && !isAsking(); calls++) {
      world.take(one, [limit], [1]);
      settleAll(world);
    }
    for (const process of world.processes) {
      if (isRefused && process !== one) look(world, process, limit, limit.amount + 1);
      exchange(world, process, 'ok');
    }
    settleAll(world);
    world.pass(TURN_MS);
    left = leftOf(world, one.ledger.counterOf(limit, '', {}).slot?.id ?? '');
  }
  if (left >= 1) throw new Error(`I10: ${left} of ${limit.amount} is left for somebody who asks for 1`);
}

/** I10: once all processes have stopped, the store has counted what calls came to. */
function stopAll(world: World): void {
  for (const process of world.processes)
    for (let tries = 0; tries < 20; tries++) {
      world.pass(TURN_MS);
      const round = process.ledger.rounds.prepareLast(process.ledger.moment(world.now));
      if (!round) break;
      process.round = round;
      world.deliver(round.updates, process.id);
      world.end(process, true);
    }
  for (const { _id, fill, L } of world.store.counters.values()) {
    const { spent = 0, forgiven = 0 } = world.accounts.get(_id) ?? {};
    if (world.dead.every(({ journal }) => journal !== null) && Object.keys(L).length > 0)
      throw new Error(`I10: leases are left of ${_id}: ${JSON.stringify(L)}`);
    if (world.dead.length === 0 && fill + forgiven !== spent)
      throw new Error(`I10: ${fill} and ${forgiven} are counted, and ${spent} was spent of ${_id}`);
  }
}

function play(limits: Limits, steps: readonly Command[], checkMore: (world: World) => void): World {
  const world = new World(3);
  for (const { id, amount } of limits.current) world.caps.set(id, amount);
  for (const step of steps) {
    run(world, limits, step);
    check(world);
    checkMore(world);
  }
  return world;
}

const WINDOW_S = 60;
const rates = (): Limits => ({
  current: [
    limitOf({ kind: 'rate', amount: 60, waitMs: 0, window: { kind: 'bucket', seconds: WINDOW_S } }),
    limitOf({ kind: 'rate', amount: 30, waitMs: 300, window: { kind: 'bucket', seconds: WINDOW_S } }),
  ],
  known: new Map(),
});

/** I9: what is admitted in any time is at most the capacity, and what is refilled in that time. */
function checkRates(world: World, { current }: Limits): void {
  for (const { limitId, admitted } of world.accounts.values()) {
    const capacity = current.find(({ id }) => id === limitId)?.amount ?? 0;
    let sum = 0;
    const until = admitted.at(-1)?.at ?? 0;
    for (const { at, amount } of admitted.toReversed()) {
      sum += amount;
      const most = capacity + (capacity * (until - at)) / (WINDOW_S * 1000);
      if (sum > most + 1e-6) throw new Error(`I9: ${sum} in ${until - at} ms of ${capacity} a minute`);
    }
  }
}

/** I10: a bucket that is hardly used for two windows is full, and one process can have all of it. */
function fillUp(world: World, limit: Limit): void {
  const turn = (ms: number) => {
    for (const process of world.processes) exchange(world, process, 'ok');
    settleAll(world);
    world.pass(ms);
  };
  const [one] = world.processes as [Process];
  // Whoever asks folds what dead processes held, once they were silent for half a minute.
  for (const seconds of [40, 2 * WINDOW_S]) {
    world.take(one, [limit], [1]);
    for (let ms = 0; ms < seconds * 1000; ms += 500) turn(500);
  }
  const begun = world.now;
  for (let turns = 0; turns < 100; turns++) {
    for (let calls = 0; calls < 10 && one.ledger.rounds.waiting.size === 0; calls++) {
      world.take(one, [limit], [1]);
      settleAll(world);
    }
    turn(TURN_MS);
  }
  const { admitted = [] } = [...world.accounts.values()].find(({ limitId }) => limitId === limit.id) ?? {};
  const sum = admitted.reduce((all, { at, amount }) => all + (at >= begun ? amount : 0), 0);
  if (sum < limit.amount) throw new Error(`I10: a full bucket of ${limit.amount} gives ${sum}`);
}

/** What happens to rates; calls come to what they reserved. */
const ofRates = command
  .filter(({ kind }) => kind !== 'edit' && kind !== 'reset')
  .map((step) => (step.kind === 'settle' ? { ...step, share: 1 as const } : step));

test('in no span of time more is admitted than a rate allows, and nothing of it is lost', () => {
  fc.assert(
    fc.property(fc.array(ofRates, { maxLength: 100 }), (steps) => {
      const limits = rates();
      const world = play(limits, steps, (world) => checkRates(world, limits));
      calmDown(world, limits);
      for (const limit of limits.current) fillUp(world, limit);
      check(world);
      checkRates(world, limits);
    }),
    { numRuns: rounds(300, 3000) },
  );
}, 900_000);

/** A lease ends, and then a copy of the message that began it arrives. */
const copyAfterTheEnd: Command[] = [
  { kind: 'take', process: 2, which: [0, 1], amount: 1 },
  { kind: 'wait', ms: 40_000 },
  { kind: 'round', process: 2, fate: 'doubled' },
  { kind: 'calm' },
];

/** A process that counted as dead is heard of again, right after another one has read the counter. */
const silentUntilNow: Command[] = [
  { kind: 'take', process: 2, which: [0], amount: 20 },
  { kind: 'round', process: 2, fate: 'ok' },
  { kind: 'edit', which: 0, to: 21 },
  { kind: 'wait', ms: 40_000 },
];

/** The same, and the process had heard nothing of what it was granted. */
const unheardUntilNow: Command[] = [
  { kind: 'take', process: 1, which: [0], amount: 1 },
  { kind: 'round', process: 1, fate: 'unheard' },
  { kind: 'wait', ms: 40_000 },
  { kind: 'round', process: 1, fate: 'unheard' },
];

test('whatever callers, processes, the network and administrators do, nothing is overspent or lost', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120 }), fc.boolean(), (steps, isRefused) => {
      const limits = budgets();
      const world = play(limits, steps, checkBudgets);
      calmDown(world, limits);
      check(world);
      for (const limit of limits.current) spendAll(world, limit, isRefused);
      check(world);
      recover(world, 'ok');
      stopAll(world);
      check(world);
      checkBudgets(world);
    }),
    {
      numRuns: rounds(1000, 12_000),
      examples: [copyAfterTheEnd, silentUntilNow, unheardUntilNow].map((steps) => [steps, false]),
    },
  );
}, 900_000);
