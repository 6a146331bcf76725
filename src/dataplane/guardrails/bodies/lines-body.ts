import type { TextEdit } from '../../../guardrails/check.ts';
import {
  type Placeholders,
  type ReadTexts,
  readJson,
  withEdits,
} from '../../../guardrails/segments/index.ts';
import { isObject, parsedObject } from '../../../lib/json.ts';
import type { ByteBody } from './byte-body.ts';

/** An answer of which each line is a JSON object, as some providers stream them, while it is checked. */
export class LinesBody implements ByteBody {
  readonly value = null;
  readonly #lines: readonly string[];
  readonly #before: readonly unknown[];
  #values: readonly unknown[];

  constructor(lines: readonly string[], values: readonly unknown[]) {
    this.#lines = lines;
    this.#before = values;
    this.#values = values;
  }

  get isEdited(): boolean {
    return this.#values !== this.#before;
  }

  get texts(): ReadTexts {
    return readJson(this.#values, 'output');
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const before = this.#values;
    this.#values = withEdits(before, edits, placeholders) as readonly unknown[];
    return this.#values !== before;
  }

  replace(): void {
    throw new Error('Lines cannot be replaced as a whole.');
  }

  bytes(): Buffer {
    const lines = this.#lines.map((line, at) =>
      this.#values[at] === this.#before[at] ? line : JSON.stringify(this.#values[at]),
    );
    return Buffer.from(lines.join('\n'));
  }
}

/** Null where not every line is such an object. */
export function linesBody(text: string): LinesBody | null {
  if (!text.startsWith('{')) return null;
  const lines = text.split('\n');
  const values = lines.map((line) => (line.trim() === '' ? null : parsedObject(line)));
  const isLines = values.every((value, at) => isObject(value) || lines[at]?.trim() === '');
  return isLines ? new LinesBody(lines, values) : null;
}
