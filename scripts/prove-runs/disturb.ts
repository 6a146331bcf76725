import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet, Gateway } from '../prove-limits/fleet.ts';

type Disturbances = { kills: number; stops: number };

/** Milliseconds between two disturbances, and for which a gateway stands still: others take its runs over after six seconds. */
const PAUSE = { least: 500, most: 2500 };
const STOP = { least: 2000, most: 9000 };

const between = ({ least, most }: { least: number; most: number }) => least + (most - least) * Math.random();

/** Kills and stops gateways at random moments, but not the last one of several; what was killed starts again. */
export async function disturb(fleet: Fleet, { kills, stops }: Disturbances): Promise<void> {
  const restoring: Promise<void>[] = [];
  const stopped = new Set<Gateway>();
  const kinds = [...Array(kills).fill('kills'), ...Array(stops).fill('stops')] as (keyof Disturbances)[];
  kinds.sort(() => Math.random() - 0.5);
  for (const kind of kinds) {
    await wait(between(PAUSE));
    const victim = await victimOf(fleet, stopped);
    const work = kind === 'kills' ? killed(fleet, victim) : paused(victim, stopped);
    // It fails below; before that nobody waits for it, which would end this program and leave its gateways behind.
    work.catch(() => undefined);
    restoring.push(work);
  }
  await Promise.all(restoring);
}

async function victimOf({ gateways }: Fleet, stopped: ReadonlySet<Gateway>): Promise<Gateway> {
  for (;;) {
    const awake = gateways.filter((gateway) => gateway.running && !stopped.has(gateway));
    const victim = awake[Math.floor(Math.random() * awake.length)];
    if (victim && awake.length > Math.min(1, gateways.length - 1)) return victim;
    await wait(50);
  }
}

async function killed(fleet: Fleet, gateway: Gateway): Promise<void> {
  await fleet.kill(gateway);
  await fleet.start(gateway);
}

async function paused(gateway: Gateway, stopped: Set<Gateway>): Promise<void> {
  if (!gateway.running) return;
  const { pid } = gateway.running.process;
  stopped.add(gateway);
  process.kill(pid, 'SIGSTOP');
  await wait(between(STOP));
  process.kill(pid, 'SIGCONT');
  stopped.delete(gateway);
}
