import type { TextEdit } from '../../../guardrails/check.ts';
import {
  type FoundSegment,
  NO_TEXTS,
  type Placeholders,
  type ReadTexts,
  unreadableTexts,
  withEdits,
} from '../../../guardrails/segments/index.ts';
import type { Form, FormPart } from '../../forms/form.ts';
import type { ByteBody } from './byte-body.ts';
import { textOfBytes } from './text-of-bytes.ts';

/** A text of a form: the value of a part, or what its headers say. `isFixed`: it can be refused, but not edited. */
type FormText = { start: number; end: number; kind: FoundSegment['kind']; text: string; isFixed: boolean };

/** In the place of a path: the text stays as it is. */
const FIXED = '\u0000fixed';

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
    if (this.#form.parts.some((part) => this.#isUnread(part)))
      return unreadableTexts('it is a form with a field that is no plain text');
    const segments = this.#places.map(({ kind, isFixed }, at) => ({
      path: isFixed ? [FIXED, at] : [at],
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
    const own = edits.filter(({ segment }) => segment.path[0] !== FIXED);
    this.#values = withEdits(before, own, placeholders) as readonly string[];
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

  /** A field whose headers say that its value is written in another way, or whose value is no text. */
  #isUnread({ start, valueStart, valueEnd, isFile }: FormPart): boolean {
    const { bytes } = this.#form;
    if (encoded.test(bytes.toString('latin1', start, valueStart))) return true;
    return !isFile && textOfBytes(bytes.subarray(valueStart, valueEnd ?? bytes.length)) === null;
  }

  #textsOf({ start, valueStart, valueEnd, isFile }: FormPart): FormText[] {
    const { bytes } = this.#form;
    const end = valueEnd ?? bytes.length;
    const head = bytes.toString('utf8', start, valueStart);
    const said = textOfBytes(bytes.subarray(valueStart, end));
    const value = said && {
      start: valueStart,
      end,
      kind: 'text' as const,
      text: said.text,
      isFixed: !said.isExact,
    };
    return [...this.#namesIn(head, start, isFile), ...(value ? [value] : [])];
  }

  /** The name of a file can be changed; whatever else the headers say is looked at as it stands. */
  #namesIn(head: string, start: number, isFile: boolean): FormText[] {
    const texts: FormText[] = [];
    const name = isFile ? fileNameIn(head) : null;
    const at = name === null ? -1 : this.#form.bytes.indexOf(name, start);
    if (name !== null && at >= 0)
      texts.push({ start: at, end: at + Buffer.byteLength(name), kind: 'title', text: name, isFixed: false });
    const rest = (at >= 0 ? head.replace(name ?? '', '') : head)
      .replace(this.#form.boundary, '')
      .replace(usual, ' ')
      .trim();
    if (rest.length > SHORT) texts.push({ start, end: start, kind: 'title', text: rest, isFixed: true });
    return texts;
  }
}

/** Characters up to which headers say nothing. */
const SHORT = 3;
/** What headers of parts have in common. */
const usual =
  /content-disposition:\s*form-data|content-(?:type|length):|\b(?:file)?name\*?=|^--|["';\r\n]+/gi;
const encoded =
  /content-transfer-encoding:\s*(?!7bit|8bit|binary)|content-type:[^\r\n]*charset="?(?!utf-?8|us-ascii)/i;

const fileNameIn = (head: string): string | null => /filename="([^"]+)"/i.exec(head)?.[1] ?? null;
