import { decode } from '../bson/decode.ts';
import type { Document } from '../value/types.ts';
import type { Predicate } from './filter.ts';
import type { Row, Scanner } from './scanner.ts';

/** A row that matched, with the fields that were decoded to find out. */
export type Match = Row & { document: Document | null };

const firstChunk = 64;
const largestChunk = 512;

/**
 * Filters what a scanner finds, one chunk at a time. A chunk is a bounded piece of work, so that the caller can let
 * others run in between; it may be empty without being the last.
 */
export class MatchStream {
  readonly #scanner: Scanner;
  readonly #test: Predicate | null;
  readonly #wanted: ReadonlySet<string> | null;
  readonly #decodes: boolean;
  #chunk: number;

  /** `wanted` are the fields to decode: null for all, an empty set for none. */
  constructor(
    scanner: Scanner,
    test: Predicate | null,
    wanted: ReadonlySet<string> | null,
    expected: number,
  ) {
    this.#scanner = scanner;
    this.#test = test;
    this.#wanted = wanted;
    this.#decodes = wanted === null || wanted.size > 0;
    this.#chunk = test === null && expected > 0 ? Math.min(expected, largestChunk) : firstChunk;
  }

  /** The matches of the next chunk; null at the end. */
  next(): Match[] | null {
    const rows = this.#scanner.next(this.#chunk);
    if (!rows) return null;
    this.#chunk = Math.min(this.#chunk * 2, largestChunk);
    const matches: Match[] = [];
    for (const { record, body } of rows) {
      const document = this.#decodes ? decode(body, this.#wanted) : null;
      if (this.#test === null || this.#test(document ?? {})) matches.push({ record, body, document });
    }
    return matches;
  }
}
