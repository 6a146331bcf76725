import type { UpstreamFailure } from '../send/upstream.ts';
import type { AnswerReader, Reception } from './answer-reader.ts';
import { parsedError } from './provider-error.ts';

/** Bytes of an error that are read; the rest is left out. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads a provider's error to its end before anything is decided: the error may say when to come again, and callers get
 * all errors in one form.
 */
export class ErrorAnswer implements AnswerReader {
  readonly #reception: Reception;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(reception: Reception) {
    this.#reception = reception;
  }

  data(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= MAX_BYTES) this.end();
    return true;
  }

  /** Also called when an error takes too long: the caller is told what has come of it by then. */
  end(): void {
    const error = parsedError(Buffer.concat(this.#chunks).subarray(0, MAX_BYTES));
    this.#reception.refuse(this.#reception.result.status, error);
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    if (failure === 'aborted') this.#reception.giveUp(failure, cause);
    else this.end();
  }
}
