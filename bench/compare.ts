// Contestants that are measured in one run, each with the machine to itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, load, type Request } from './load.ts';

const ROUNDS = 3;

/**
 * `settled` resolves when nothing is left to do after a run: the next contestant has the machine to itself. `pid`: who can stand
 * still while others are measured.
 */
export type Contestant = {
  name: string;
  port: number;
  pid?: number;
  request: Request;
  settled?: () => Promise<void>;
};

export const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Measures one after the other, in several rounds: the results of each contestant, by its name. */
export async function compare(
  contestants: Contestant[],
  connections: number,
  { seconds, rounds = ROUNDS }: { seconds: number; rounds?: number },
): Promise<Map<string, LoadResult[]>> {
  const results = new Map<string, LoadResult[]>(contestants.map(({ name }) => [name, []]));
  const measure = async ({ port, pid, request, settled }: Contestant, lasting: number) => {
    signal(pid, 'SIGCONT');
    const result = await load(port, request, { connections, seconds: lasting });
    await settled?.();
    signal(pid, 'SIGSTOP');
    return result;
  };
  try {
    for (const contestant of contestants) await measure(contestant, 2);
    for (let round = 0; round < rounds; round++)
      for (const contestant of contestants)
        results.get(contestant.name)?.push(await measure(contestant, seconds));
  } finally {
    for (const { pid } of contestants) signal(pid, 'SIGCONT');
  }
  return results;
}

/** Even an idle process wakes up now and then, and takes a processor from the one that is measured. */
function signal(pid: number | undefined, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid !== undefined) process.kill(pid, name);
}

/** Waits for every log, and answers how many there were and how long it took. */
export async function logged(port: number): Promise<{ waiting: number; seconds: number }> {
  const startedAt = performance.now();
  const waiting = await waitingLogs(port);
  // Twice, since the number is some milliseconds old.
  for (let calm = 0; calm < 2; calm = (await waitingLogs(port)) === 0 ? calm + 1 : 0) await sleep(100);
  return { waiting, seconds: (performance.now() - startedAt) / 1000 };
}

async function waitingLogs(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const waiting = /^sluice_request_log_waiting (\d+)/m.exec(metrics)?.[1];
  if (waiting === undefined) throw new Error('The metrics do not say how many logs wait.');
  return Number(waiting);
}
