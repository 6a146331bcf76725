import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { RunDocument } from '../../src/runs/run.ts';
import type { RunInstanceDocument } from '../../src/runs/upkeep/instances.ts';
import { DEAD_AFTER_MS } from '../../src/runs/upkeep/instances.ts';
import type { Fleet, Gateway } from '../prove-limits/fleet.ts';
import { LATE_MS } from './caller.ts';
import { type Fault, metBy, withdrawFault } from './fault-orders.ts';

/** Milliseconds for which a gateway stands still: the others take its runs over meanwhile. */
const STOPPED_MS = 10_000;
/** Milliseconds between two looks. */
const LOOK_MS = 50;
/** Milliseconds in which a thread is free again, from the moment on at which somebody may know that its process is dead. */
const FREE_MS = 8000;

/** A fault that a gateway met, and what became of the run that it had. */
export type Struck = { operation: string; freeAfterMs: number; faults: string[] };

type Given = { fleet: Fleet; gateway: Gateway; db: Db; fault: Fault };

/**
 * Waits until the gateway has met the fault, brings the gateway back, and sees how soon the threads are free that it held. Null
 * where it has met none by the time that `isOver` says so.
 */
export async function strike(given: Given, isOver: () => boolean, onMet: () => void): Promise<Struck | null> {
  const { gateway, fault, fleet, db } = given;
  let operation = await metBy(gateway.directory, fault);
  while (operation === null && !isOver()) {
    await wait(LOOK_MS);
    operation = await metBy(gateway.directory, fault);
  }
  await withdrawFault(gateway.directory);
  // It may have met the fault in this last moment.
  operation ??= await metBy(gateway.directory, fault);
  if (operation === null) return null;
  onMet();
  const metAt = Date.now();
  const others = fleet.gateways.some((other) => other !== gateway && other.running !== null);
  const seenAt = await lastSignOf(db);
  const back = fault.kind === 'throw' ? Promise.resolve(0) : bringBack(given);
  const free = freeAt(db);
  const [backAt, freedAt] = await Promise.all([back, free]);
  const knownAt =
    fault.kind === 'throw' ? metAt : Math.max(metAt, seenAt + DEAD_AFTER_MS, others ? 0 : backAt);
  const freeAfterMs = freedAt - knownAt;
  const faults =
    freeAfterMs > FREE_MS ? [`Its thread was free ${freeAfterMs} ms after its process was known dead.`] : [];
  return { operation, freeAfterMs, faults };
}

async function bringBack({ fleet, gateway, fault }: Given): Promise<number> {
  const pid = gateway.running?.process.pid;
  if (pid === undefined) throw new Error('A gateway that met a fault was running.');
  if (fault.kind === 'kill') {
    await fleet.kill(gateway);
    await fleet.start(gateway);
  } else {
    await wait(STOPPED_MS);
    process.kill(pid, 'SIGCONT');
  }
  return Date.now();
}

/** When the processes that hold runs have given their last sign of life. */
async function lastSignOf(db: Db): Promise<number> {
  const owners = await db.collection<RunDocument>('runs').distinct('owner', { active: true });
  const found = await db
    .collection<RunInstanceDocument>('run_instances')
    .find({ _id: { $in: owners.filter((owner) => owner !== null) } })
    .toArray();
  return Math.max(0, ...found.map(({ seenAt }) => seenAt.getTime()));
}

/** When no run holds its thread any more but one that waits for its caller. */
async function freeAt(db: Db): Promise<number> {
  const held = { active: true, status: { $ne: 'requires_action' } } as const;
  const until = Date.now() + LATE_MS;
  while (await db.collection<RunDocument>('runs').findOne(held)) {
    if (Date.now() > until) return until;
    await wait(LOOK_MS);
  }
  return Date.now();
}
