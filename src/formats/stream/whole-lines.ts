const LF = 10;
const CR = 13;
/** Bytes of an unfinished line that are held back at most; a longer line goes on in pieces. */
const MAX_LINE = 256 * 1024;

/**
 * Passes on whole lines of a stream, so that the gateway can put an event of its own behind them at any moment. A chunk
 * that ends with a line passes without a copy.
 */
export class WholeLines {
  #rest: Buffer[] = [];
  #size = 0;

  /** Takes the next bytes; returns those that may go on, or null while no line is whole. */
  take(chunk: Buffer): Buffer | null {
    const last = chunk[chunk.length - 1];
    if (last === LF || last === CR) return this.#with(chunk);
    const end = Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR)) + 1;
    const whole = end === 0 ? null : this.#with(chunk.subarray(0, end));
    this.#rest.push(end === 0 ? chunk : chunk.subarray(end));
    this.#size += chunk.length - end;
    return this.#size > MAX_LINE ? joined(whole, this.rest()) : whole;
  }

  /** The unfinished line at the end of a stream; null when there is none. */
  rest(): Buffer | null {
    if (this.#rest.length === 0) return null;
    const rest = Buffer.concat(this.#rest);
    this.#rest = [];
    this.#size = 0;
    return rest;
  }

  #with(chunk: Buffer): Buffer {
    return this.#rest.length === 0 ? chunk : Buffer.concat([this.rest() ?? chunk, chunk]);
  }
}

const joined = (whole: Buffer | null, rest: Buffer | null): Buffer | null =>
  whole && rest ? Buffer.concat([whole, rest]) : (whole ?? rest);
