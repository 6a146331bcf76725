import type { ToolContext } from '../tool.ts';

/** Milliseconds for which output is gathered before readers are told. */
const GATHER_MS = 100;

/** The output of a cell: as a whole, and told as it comes. */
export class CellLogs {
  whole = '';
  #told = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #tell: ToolContext['tell'];

  constructor(tell: ToolContext['tell']) {
    this.#tell = tell;
  }

  add(text: string): void {
    this.whole += text;
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** Tells what has not been told yet. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#told === this.whole.length) return;
    this.#tell({ outputs: [{ index: 0, type: 'logs', logs: this.whole.slice(this.#told) }] });
    this.#told = this.whole.length;
  }
}
