import type { BoxEnd, OpenBox } from '../exchange.ts';

/** How a cell ended: whether it raised no error, and the files of the data folder that it made or changed. */
export type CellEnd = { isFine: boolean; files: { name: string; bytes: number }[] };

/** Milliseconds that a cell may take. */
const CELL_MS = 60_000;
/** Milliseconds for what is no code of others, such as handing over a file. */
const HANDLING_MS = 30_000;
/** Bytes of output of one cell. */
const MOST_LOG_BYTES = 256 * 1024;
const MOST_FILES = 100;

/** A Python that is ready for cells, which share their variables and the folder `/mnt/data`. */
export class Interpreter {
  readonly ended: Promise<BoxEnd>;
  /** Where it runs. */
  readonly box: OpenBox;

  constructor(box: OpenBox) {
    this.box = box;
    this.ended = box.ended;
  }

  get isOpen(): boolean {
    return this.box.isOpen;
  }

  /** The process of the box. */
  get pid(): number {
    return this.box.pid;
  }

  /** Puts a file into the data folder. */
  async put(
    name: string,
    body: { bytes: number; read(): AsyncIterable<Uint8Array> },
    signal: AbortSignal,
  ): Promise<void> {
    await this.box.ask({ head: { type: 'put', name }, body, timeMs: HANDLING_MS, signal });
  }

  /** Runs a cell; `onLog` gets what it writes, at most 256 kB. Rejects with a BoxLost where it takes too long or too much. */
  async run(code: string, onLog: (text: string) => void, signal: AbortSignal): Promise<CellEnd> {
    const decoder = new TextDecoder();
    let left = MOST_LOG_BYTES;
    const { head } = await this.box.ask({
      head: { type: 'run', code, logBytes: MOST_LOG_BYTES },
      timeMs: CELL_MS,
      signal,
      // The program keeps the bound, too; but a cell could send frames of its own.
      onPart({ body }) {
        const part = body.subarray(0, left);
        left -= part.length;
        if (part.length > 0) onLog(decoder.decode(part, { stream: true }));
      },
    });
    return { isFine: head.isFine === true, files: filesOf(head.files) };
  }

  /** The content of a file of the data folder. */
  async take(name: string, signal: AbortSignal): Promise<Uint8Array> {
    const { body } = await this.box.ask({ head: { type: 'take', name }, timeMs: HANDLING_MS, signal });
    return body;
  }

  close(): Promise<BoxEnd> {
    return this.box.kill('stopped');
  }
}

/** What the program says, which a cell could have said in its place. */
function filesOf(value: unknown): CellEnd['files'] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MOST_FILES)
    .flatMap((file: { name?: unknown; bytes?: unknown } | null) =>
      typeof file?.name === 'string' && Number.isSafeInteger(file.bytes)
        ? [{ name: file.name, bytes: Number(file.bytes) }]
        : [],
    );
}
