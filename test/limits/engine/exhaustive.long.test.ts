import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MemoryStore } from '../../../bench/limits/memory-store.ts';
import type { CounterDocument, CounterUpdate, NewCounter } from '../../../src/limits/counters/document.ts';
import {
  adopt,
  canEnd,
  type Lease,
  leavingOf,
  messageOf,
  newLease,
  renewed,
  slackOf,
} from '../../../src/limits/ledger/lease.ts';
import { rounds } from '../../support/long.ts';

/** What a world of two processes and one counter may do besides. */
type Bounds = {
  processes: number;
  cap: number;
  calls: number;
  messages: number;
  crashes: number;
  doubles: number;
  overruns: number;
};

type Process = {
  lease: Lease;
  keys: number;
  isDead: boolean;
  /** What calls under way have reserved. */
  calls: number[];
  /** Messages sent of which nothing is known. */
  isWaiting: boolean;
};

type World = {
  counter: CounterDocument;
  processes: Process[];
  /** On their way to the store, in any order. */
  flying: { updates: CounterUpdate[]; from: number; isCopy: boolean }[];
  /** True cost of calls that ended. */
  spent: number;
  overrun: number;
  left: Omit<Bounds, 'cap' | 'processes'>;
};

const ID = 'counter';

function firstWorld({ processes, cap, ...left }: Bounds): World {
  const counter = {
    _id: ID,
    cap,
    room: cap,
    fill: 0,
    at: 0,
    fullAt: 0,
    uncertain: 0,
    overshoot: 0,
    unpriced: 0,
  } as NewCounter;
  const process = (name: string): Process => ({
    lease: newLease(`${name}-0`),
    keys: 0,
    isDead: false,
    calls: [],
    isWaiting: false,
  });
  return {
    counter: { ...counter, samples: {}, L: {} },
    processes: ['a', 'b'].slice(0, processes).map(process),
    flying: [],
    spent: 0,
    overrun: 0,
    left,
  };
}

function storeOf(world: World): MemoryStore {
  const store = new MemoryStore();
  store.counters.set(ID, world.counter);
  return store;
}

/** Every world that one step leads to. */
function* steps(world: World): Generator<World> {
  for (const index of world.processes.keys()) {
    if (world.processes[index]?.isDead) continue;
    yield* stepsOf(world, index);
  }
  for (const index of world.flying.keys()) {
    yield changed(world, (next) => {
      const [message] = next.flying.splice(index, 1);
      deliver(next, message as World['flying'][number]);
    });
    // Lost.
    yield changed(world, (next) => void next.flying.splice(index, 1));
    if (world.left.doubles > 0 && !world.flying[index]?.isCopy)
      yield changed(world, (next) => {
        const message = next.flying[index] as World['flying'][number];
        next.left.doubles -= 1;
        next.flying.push({ ...message, isCopy: true });
      });
  }
}

function* stepsOf(world: World, index: number): Generator<World> {
  const own = (next: World) => next.processes[index] as Process;
  const { lease, calls, isWaiting } = own(world);
  const act = (change: (process: Process, next: World) => void) =>
    changed(world, (next) => change(own(next), next));
  for (const amount of [1, 2]) {
    if (world.left.calls === 0 || lease.leaving !== null || slackOf(lease) < amount) continue;
    yield act((process, next) => {
      next.left.calls -= 1;
      process.lease.held += amount;
      process.calls.push(amount);
      process.calls.sort();
    });
  }
  for (const [place, reserved] of calls.entries()) {
    if (calls.indexOf(reserved) !== place) continue;
    for (const used of [0, reserved, reserved + 1]) {
      if (used > reserved && world.left.overruns === 0) continue;
      yield act((process, next) => {
        process.calls.splice(place, 1);
        process.lease.held -= reserved;
        process.lease.used += used;
        next.spent += used;
        if (used > reserved) {
          next.left.overruns -= 1;
          next.overrun += 1;
        }
      });
    }
  }
  if (!isWaiting && world.left.messages > 0) {
    const send = (updates: (process: Process) => CounterUpdate[]) =>
      act((process, next) => {
        next.left.messages -= 1;
        process.isWaiting = true;
        next.flying.push({ updates: updates(process), from: index, isCopy: false });
      });
    if (lease.leaving === null)
      for (const asks of [[2, 1], []])
        for (const giveBack of [0, 3])
          yield send(({ lease }) => messageOf(lease, { id: ID, asks, giveBack, report: lease.used }));
    if (canEnd(lease)) yield send(({ lease }) => [leavingOf(lease, ID)]);
  }
  // The round ends: in time or not, the counter is read as it is now.
  if (isWaiting)
    yield act((process, next) => {
      process.isWaiting = false;
      if (!adopt(process.lease, next.counter)) {
        process.keys += 1;
        process.lease = renewed(process.lease, `${index === 0 ? 'a' : 'b'}-${process.keys}`);
      }
    });
  if (world.left.crashes > 0)
    yield act((process, next) => {
      next.left.crashes -= 1;
      process.isDead = true;
    });
}

function deliver(world: World, { updates }: World['flying'][number]): void {
  const store = storeOf(world);
  for (const update of updates) store.apply(update, 0);
}

function changed(world: World, change: (next: World) => void): World {
  const next = JSON.parse(JSON.stringify(world)) as World;
  change(next);
  return next;
}

function check(world: World): void {
  const { counter, processes, spent, overrun } = world;
  if (!storeOf(world).conserves()) throw new Error('room, use and leases do not add up');
  const held = processes.flatMap(({ calls }) => calls).reduce((sum, one) => sum + one, 0);
  if (spent + held > counter.cap + overrun) throw new Error(`spent ${spent}, held ${held} of ${counter.cap}`);
  if (overrun === 0 && counter.room < 0) throw new Error('room below zero');
  for (const { lease, isDead } of processes) {
    const stored = counter.L[lease.key];
    // A beginning that came again after the end is nobody's.
    if (isDead || !stored || !lease.joined || stored.s < lease.seen) continue;
    if (lease.granted > stored.g) throw new Error('a process believes to hold more than it does');
  }
}

/** Walks through every world within the bounds; answers how many there are. */
function explore(bounds: Bounds): number {
  const seen = new Set<string>();
  let front = [JSON.stringify(firstWorld(bounds))];
  while (front.length > 0) {
    const next: string[] = [];
    for (const text of front)
      for (const world of steps(JSON.parse(text))) {
        const found = JSON.stringify(world);
        const digest = hash('sha1', found, 'base64');
        if (seen.has(digest)) continue;
        seen.add(digest);
        check(world);
        next.push(found);
      }
    front = next;
  }
  return seen.size;
}

const FEW = { processes: 2, cap: 3, calls: 1, messages: 3, crashes: 0, doubles: 0, overruns: 0 };

test('no order of messages, losses and doubles overspends', () => {
  const worlds = explore({ ...FEW, processes: rounds(1, 2), doubles: 1, calls: 2 });
  expect(worlds).toBeGreaterThan(10_000);
}, 900_000);

test('a process that dies at any moment takes no more than it holds', () => {
  expect(explore({ ...FEW, crashes: 1, calls: rounds(1, 2) })).toBeGreaterThan(5000);
}, 900_000);

test('two processes that compete never spend more than there is', () => {
  expect(explore({ ...FEW, messages: rounds(2, 3), calls: 3, crashes: 1 })).toBeGreaterThan(9_000);
}, 900_000);

test('a call that costs more than it reserved is the only excess', () => {
  expect(explore({ ...FEW, overruns: 1 })).toBeGreaterThan(1000);
}, 900_000);
