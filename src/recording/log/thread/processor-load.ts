import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The part of the time that this thread's event loop must be at work for its requests to count as many. */
const BUSY_LOOP = 0.3;
/**
 * Processors that must be idle for other work to cost the requests nothing. Somewhat more than one: a single caller's requests
 * leave one of two idle, but take turns on both.
 */
const SPARE_PROCESSORS = 1.25;

/** Milliseconds of the loop that tell something. */
const SHORTEST_LOOK = 5;

/** Milliseconds between looks for a processor to spare. */
const LOOK_INTERVAL = 250;

/**
 * Whether requests keep this thread at work and, as far as is known, the machine has no processor to spare for anything
 * else. Spare ones are noticed on Linux only, and where this process may use them all: in a container with a share of them
 * idle ones may belong to others.
 */
export class ProcessorLoad {
  #loop = performance.eventLoopUtilization();
  #isAtWork = false;
  #hasSpare = false;
  #ticks: Ticks | null = null;
  #lookedAt = 0;
  readonly #isLimited = availableParallelism() < cpus().length;

  /** Takes the time since the last look into account: requests that have just begun to come count at once. */
  isBusy(): boolean {
    this.#lookAtLoop();
    return this.#isAtWork && !this.#hasSpare;
  }

  /** Takes the time since the last beat into account. Rejects when the processors cannot be looked at. */
  async beat(): Promise<void> {
    this.#lookAtLoop();
    if (!this.#isAtWork) {
      this.#hasSpare = false;
      this.#ticks = null;
    } else if (!this.#isLimited && performance.now() - this.#lookedAt > LOOK_INTERVAL) {
      this.#lookedAt = performance.now();
      await this.#lookAtProcessors();
    }
  }

  #lookAtLoop(): void {
    const loop = performance.eventLoopUtilization();
    const { idle, active, utilization } = performance.eventLoopUtilization(loop, this.#loop);
    if (idle + active < SHORTEST_LOOK) return;
    this.#isAtWork = utilization > BUSY_LOOP;
    this.#loop = loop;
  }

  async #lookAtProcessors(): Promise<void> {
    const before = this.#ticks;
    this.#ticks = await idleTicks();
    if (before && this.#ticks) this.#hasSpare = idleProcessors(before, this.#ticks) >= SPARE_PROCESSORS;
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
