import { readFileSync } from 'node:fs';
import { atMost, type Report } from './report.ts';

const budget = 400;

/** Watches the anonymous memory of a process that may be started anew, and keeps the highest value of each phase. */
export class MemoryWatch {
  readonly #peaks = new Map<string, number>();
  #phase = 'start';
  #pid = 0;
  readonly #timer = setInterval(() => this.#sample(), 100);

  /** From now on this process is the one to watch. */
  watch(pid: number): void {
    this.#pid = pid;
  }

  phase(name: string): void {
    this.#sample();
    this.#phase = name;
    console.error(name);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  report(report: Report): void {
    for (const [phase, peak] of this.#peaks) {
      report.add(`memory (highest RssAnon): ${phase}`, `${Math.round(peak)} MB`, atMost(peak, budget, 'MB'));
    }
  }

  #sample(): void {
    const megabytes = anonymousMemory(this.#pid);
    if (megabytes === null) return;
    this.#peaks.set(this.#phase, Math.max(megabytes, this.#peaks.get(this.#phase) ?? 0));
  }
}

/** Megabytes; null for a process that has ended or a system that does not tell. */
function anonymousMemory(pid: number): number | null {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // Between the kill and the restart there is nothing to read, and on other systems than Linux never.
    return null;
  }
  const kilobytes = /RssAnon:\s+(\d+)/.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}
