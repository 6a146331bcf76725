import type { Phase, TextEdit } from '../check.ts';
import { type Placeholders, type ReadTexts, readJson, withEdits } from '../segments/index.ts';

/** A body while it is checked. */
export type CheckedBody = {
  /** As they are now. */
  readonly texts: ReadTexts;
  /** As it is now; null for what is no JSON. */
  readonly value: unknown;
  /** Whether something was changed. */
  readonly isEdited: boolean;
  /** Answers whether it changed anything. */
  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean;
  /** Takes a whole new body. */
  replace(value: Readonly<Record<string, unknown>>): void;
};

/** A body of JSON. */
export class CheckedJson implements CheckedBody {
  #value: unknown;
  #texts: ReadTexts;
  #isEdited = false;
  readonly #phase: Phase;

  constructor(value: unknown, phase: Phase) {
    this.#value = value;
    this.#phase = phase;
    this.#texts = readJson(value, phase);
  }

  get texts(): ReadTexts {
    return this.#texts;
  }

  get value(): unknown {
    return this.#value;
  }

  get isEdited(): boolean {
    return this.#isEdited;
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const edited = withEdits(this.#value, edits, placeholders);
    if (edited === this.#value) return false;
    this.#become(edited);
    return true;
  }

  replace(value: Readonly<Record<string, unknown>>): void {
    this.#become(value);
  }

  #become(value: unknown): void {
    this.#value = value;
    this.#isEdited = true;
    this.#texts = readJson(value, this.#phase);
  }
}
