import fc from 'fast-check';
import type { Limit } from '../../../src/limits/limit.ts';
import { EPOCH, type Process, type World } from './world.ts';

/** The limits of a world, as each process knows them: an edit reaches them one by one. */
export type Limits = { current: Limit[]; known: Map<string, Limit[]> };

const process = fc.nat(2);
const which = fc.constantFrom([0], [1], [0, 1], [1, 0]);
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.nat(9) },
  { weight: 1, arbitrary: fc.constantFrom(20, 36) },
);

/** One step of a world: what a caller, a process, the network or an administrator does. */
export const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('take' as const), process, which, amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      process,
      call: fc.nat(5),
      share: fc.constantFrom(0, 0.3, 1, 1, 1.5),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('round' as const),
      process,
      fate: fc.constantFrom(...(['ok', 'ok', 'ok', 'lost', 'unheard', 'late', 'doubled'] as const)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const), process }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('arrive' as const), message: fc.nat(5) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(5, 20, 100, 1000, 40_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const), process }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      process,
      hasDisk: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('recover' as const),
      fate: fc.constantFrom(...(['ok', 'doubled', 'late'] as const)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      which: fc.nat(1),
      to: fc.oneof(fc.nat(80), fc.constant(700)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('learn' as const), process }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('calm' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      process,
      which: fc.nat(1),
      amount: fc.nat(90),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), which: fc.nat(1) }) },
);

export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

export function run(world: World, limits: Limits, step: Command): void {
  const at = (index: number) => world.processes[index % world.processes.length] as Process;
  switch (step.kind) {
    case 'take': {
      const one = at(step.process);
      const known = limitsOf(limits, one);
      const asked = step.which.map((index) => known[index] as Limit);
      world.take(
        one,
        asked,
        asked.map(() => step.amount),
      );
      break;
    }
    case 'settle':
      world.settle(at(step.process), step.call, step.share);
      break;
    case 'round':
      exchange(world, at(step.process), step.fate);
      break;
    case 'begin':
      world.send(at(step.process));
      break;
    case 'arrive': {
      const [message] = world.air.splice(step.message % Math.max(1, world.air.length), 1);
      if (message) world.deliver(message.updates, message.from);
      break;
    }
    case 'wait':
      world.pass(step.ms);
      break;
    case 'flush':
      world.flush(at(step.process));
      break;
    case 'crash':
      world.crash(at(step.process), step.hasDisk);
      break;
    case 'recover':
      recover(world, step.fate);
      break;
    case 'edit':
      edit(world, limits, step.which, step.to);
      break;
    case 'learn':
      learn(limits, at(step.process));
      break;
    case 'calm':
      calm(world, limits);
      break;
    case 'look': {
      const one = at(step.process);
      look(world, one, limitsOf(limits, one)[step.which] as Limit, step.amount);
      break;
    }
    case 'reset':
      reset(world, limits.current[step.which] as Limit);
      break;
  }
}

const limitsOf = ({ current, known }: Limits, { id }: Process): Limit[] => {
  // A process that starts reads what is valid.
  if (!known.has(id)) known.set(id, [...current]);
  return known.get(id) as Limit[];
};

export function learn(limits: Limits, { id, ledger }: Process): void {
  limits.known.set(id, [...limits.current]);
  for (const limit of limits.current) ledger.counterOf(limit, '', {});
}

/** Asks what is left, as the first step of each call does. */
export function look({ now }: World, { ledger }: Process, limit: Limit, amount: number): void {
  ledger.look([{ counter: ledger.counterOf(limit, '', {}), amount }], now);
}

/** A little more than a second in which every message arrives: all edits are known and enforced afterwards. */
function calm(world: World, limits: Limits): void {
  for (const one of world.processes) learn(limits, one);
  for (let turn = 0; turn < 60; turn++) {
    for (const one of world.processes) exchange(world, one, 'ok');
    world.pass(20);
  }
  for (const limit of limits.current) if (limit.kind === 'usage') world.enforce(limit);
}

/** Milliseconds after which a message does not arrive any more, and the copy of one that did: what repeats them repeats soon. */
const LATEST_MS = { late: 60_000, doubled: 20_000 };

/** A round, unless one has begun, and its fate: lost on its way or on the way back, late, or arrived twice. */
export function exchange(
  world: World,
  process: Process,
  fate: Extract<Command, { kind: 'round' }>['fate'],
): void {
  world.send(process);
  const { round, id: from } = process;
  if (!round) return;
  const { updates } = round;
  if (fate === 'late' || fate === 'doubled')
    world.air.push({ updates, from, lostAt: world.now + LATEST_MS[fate] });
  if (fate === 'ok' || fate === 'unheard' || fate === 'doubled') world.deliver(updates, from);
  world.end(process, fate === 'ok' || fate === 'doubled');
}

export function recover(world: World, fate: 'ok' | 'doubled' | 'late'): void {
  const updates = world.recoveries();
  if (fate !== 'ok') world.air.push({ updates, from: 'recovery', lostAt: world.now + LATEST_MS[fate] });
  if (fate !== 'late') world.deliver(updates, 'recovery');
}

function edit(world: World, limits: Limits, index: number, amount: number): void {
  const before = limits.current[index] as Limit;
  const after = { ...before, amount, version: before.version + 1 };
  limits.current[index] = after;
  for (const { _id: id, limitId, ver, cap, until } of world.store.counters.values()) {
    if (limitId !== before.id || ver !== before.version) continue;
    // Windows that are over keep the amount that they had.
    if (until !== null && until <= EPOCH + world.now - 60_000) continue;
    world.store.apply(
      { kind: 'edit', id, ver, cap, newVer: after.version, newCap: amount },
      EPOCH + world.now,
    );
  }
  world.enforced.delete(before.id);
  world.changedAt = world.now;
  world.caps.set(before.id, Math.max(world.caps.get(before.id) ?? 0, amount));
}

function reset(world: World, { id: limitId }: Limit): void {
  world.changedAt = world.now;
  for (const counter of world.store.counters.values()) {
    if (counter.limitId !== limitId) continue;
    const account = world.accounts.get(counter._id);
    if (account) account.forgiven += counter.fill;
    counter.room += counter.fill;
    counter.fill = 0;
    counter.gen += 1;
  }
}
