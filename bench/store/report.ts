import { cpus, loadavg, release, totalmem } from 'node:os';
import type { Timing } from './measure.ts';

export type Budget = { text: string; met: boolean };

type Row = { what: string; measured: string; budget: Budget | null };

/** Collects what was measured and prints it as one Markdown table. */
export class Report {
  readonly #rows: Row[] = [];
  readonly #machine = machine();

  add(what: string, measured: string, budget: Budget | null = null): void {
    this.#rows.push({ what, measured, budget });
    console.error(`  ${what}: ${measured}`);
  }

  get missed(): number {
    return this.#rows.filter(({ budget }) => budget?.met === false).length;
  }

  print(): void {
    console.log(`${this.#machine}\n`);
    console.log('| what | measured | budget | met |\n|---|--:|--:|---|');
    for (const { what, measured, budget } of this.#rows) {
      const met = budget === null ? '' : budget.met ? 'yes' : '**no**';
      console.log(`| ${what} | ${measured} | ${budget?.text ?? ''} | ${met} |`);
    }
    console.log(`\nBudgets missed: ${this.missed}.`);
  }
}

/** A budget for something that should be small. */
export function atMost(value: number, limit: number, unit: string): Budget {
  return { text: `≤ ${count(limit)} ${unit}`, met: value <= limit };
}

/** A budget for something that should be large. */
export function atLeast(value: number, limit: number, unit: string): Budget {
  return { text: `≥ ${count(limit)}${unit}`, met: value >= limit };
}

/** A number in thousands with commas, as few decimals as make sense. */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}

/** The usual text for repeated calls. */
export function describe({ perSecond, p50, p99, max }: Timing): string {
  return `${count(perSecond)}/s, p50 ${count(p50)}, p99 ${count(p99)}, max ${count(max)} ms`;
}

/** Where the numbers come from; the load tells whether the machine was quiet when they were taken. */
function machine(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  return `The machine: ${cores.length} cores (${cores[0]?.model.trim()}), ${gigabytes} GB, ${process.platform} ${release()}, Node ${process.versions.node}, load average before the run ${load}.`;
}
