import { isUtf8 } from 'node:buffer';
import type { TextEdit } from '../../guardrails/check.ts';
import {
  type FoundSegment,
  NO_TEXTS,
  type Placeholders,
  type ReadTexts,
  unreadableTexts,
  withEdits,
} from '../../guardrails/segments/index.ts';
import type { Form, FormPart } from '../forms/form.ts';
import type { ByteBody } from './byte-body.ts';

/** A text of a form: the value of a part, or the head of one that names a file. */
type FormText = { start: number; end: number; kind: FoundSegment['kind']; text: string };

/** A multipart form while it is checked: values that are text, and what parts say of their files. */
export class FormBody implements ByteBody {
  readonly #form: Form;
  readonly #places: readonly FormText[];
  #values: readonly string[];

  constructor(form: Form) {
    this.#form = form;
    this.#places = form.parts.flatMap((part) => this.#textsOf(part));
    this.#values = this.#places.map(({ text }) => text);
  }

  get value(): null {
    return null;
  }

  get isEdited(): boolean {
    return this.#places.some(({ text }, at) => text !== this.#values[at]);
  }

  get texts(): ReadTexts {
    if (!this.#form.isEnded || this.#form.hasProse)
      return unreadableTexts('it is a form of which not all is held');
    const segments = this.#places.map(({ kind }, at) => ({
      path: [at],
      role: null,
      kind,
      text: this.#values[at] ?? '',
      turn: null,
      choice: 0,
    }));
    return { ...NO_TEXTS, segments };
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const before = this.#values;
    this.#values = withEdits(before, edits, placeholders) as readonly string[];
    return this.#values !== before;
  }

  replace(): void {
    throw new Error('A form cannot be replaced by JSON.');
  }

  bytes(): Buffer {
    const { bytes } = this.#form;
    const pieces: Buffer[] = [];
    let from = 0;
    for (const [at, { start, end, text }] of this.#places.entries()) {
      const value = this.#values[at] ?? '';
      if (value === text) continue;
      pieces.push(bytes.subarray(from, start), Buffer.from(value));
      from = end;
    }
    return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
  }

  #textsOf({ start, valueStart, valueEnd, isFile }: FormPart): FormText[] {
    const { bytes } = this.#form;
    const end = valueEnd ?? bytes.length;
    const value = bytes.subarray(valueStart, end);
    const texts: FormText[] = [];
    const name = isFile ? fileNameIn(bytes.toString('utf8', start, valueStart)) : null;
    if (name !== null) {
      const at = bytes.indexOf(name, start);
      if (at >= 0) texts.push({ start: at, end: at + Buffer.byteLength(name), kind: 'title', text: name });
    }
    if (isUtf8(value) && !value.includes(0))
      texts.push({ start: valueStart, end, kind: 'text', text: value.toString('utf8') });
    return texts;
  }
}

const fileNameIn = (head: string): string | null => /filename="([^"]+)"/i.exec(head)?.[1] ?? null;
