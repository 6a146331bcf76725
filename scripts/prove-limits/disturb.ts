import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet, Gateway } from './fleet.ts';
import type { SharedStore } from './store.ts';

export type Disturbances = { kills: number; stops: number; restarts: number };

const between = (least: number, most: number): number => least + (most - least) * Math.random();
const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];

/** Disturbs the fleet at random moments until it has been disturbed so often. What was killed starts again, what was stopped goes on. */
export async function disturb(
  fleet: Fleet,
  store: SharedStore,
  wanted: Disturbances,
  isOver: () => boolean,
): Promise<Disturbances> {
  const done = { kills: 0, stops: 0, restarts: 0 };
  const restoring: Promise<void>[] = [];
  const kinds = Object.entries(wanted).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as keyof Disturbances),
  );
  kinds.sort(() => Math.random() - 0.5);
  for (const kind of kinds) {
    await wait(between(300, 1500));
    if (isOver()) break;
    if (kind === 'restarts') {
      await store.restart?.();
    } else {
      const victim = await victimOf(fleet);
      const work = kind === 'kills' ? killed(fleet, victim) : stopped(victim);
      // It fails below; before that nobody waits for it, which would end this program and leave its gateways behind.
      work.catch(() => undefined);
      restoring.push(work);
    }
    done[kind] += 1;
  }
  await Promise.all(restoring);
  return done;
}

/** A gateway that answers, and not the last one of several. */
async function victimOf({ gateways }: Fleet): Promise<Gateway> {
  for (;;) {
    const running = gateways.filter((gateway) => gateway.running !== null);
    const victim = oneOf(running);
    if (victim && running.length > Math.min(1, gateways.length - 1)) return victim;
    await wait(50);
  }
}

async function killed(fleet: Fleet, gateway: Gateway): Promise<void> {
  await fleet.kill(gateway);
  await fleet.start(gateway);
}

async function stopped({ running }: Gateway): Promise<void> {
  if (!running) return;
  const { process: sluice } = running;
  process.kill(sluice.pid, 'SIGSTOP');
  await wait(between(500, 4000));
  try {
    process.kill(sluice.pid, 'SIGCONT');
  } catch (error) {
    // It was killed meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
