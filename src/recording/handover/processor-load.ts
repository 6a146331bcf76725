import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The part of the time that this thread's event loop must be at work for its requests to count as many. */
const BUSY_LOOP = 0.5;
/** Processors that must be idle for other work to cost the requests nothing. */
const SPARE_PROCESSORS = 1;

/** Whether requests keep this thread at work on a machine that has no processor to spare. Known on Linux only, else false. */
export class ProcessorLoad {
  isBusy = false;
  #loop = performance.eventLoopUtilization();
  #idle: Ticks | null = null;

  /** Takes a look at the time since the last one. */
  async look(): Promise<void> {
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop);
    this.#loop = loop;
    const before = this.#idle;
    this.#idle = utilization > BUSY_LOOP ? await idleTicks() : null;
    this.isBusy =
      before !== null && this.#idle !== null && idleProcessors(before, this.#idle) < SPARE_PROCESSORS;
  }
}

/** Of all processors together, since the machine started. */
type Ticks = { idle: number; all: number };

function idleProcessors(before: Ticks, after: Ticks): number {
  const all = after.all - before.all;
  return all === 0 ? 0 : ((after.idle - before.idle) / all) * availableParallelism();
}

/** From the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)). */
async function idleTicks(): Promise<Ticks | null> {
  if (process.platform !== 'linux') return null;
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1);
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, each) => sum + each, 0);
  return { idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), all };
}
