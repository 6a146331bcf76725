import type { TextEdit } from '../../../guardrails/check.ts';
import { type CheckedBody, CheckedJson } from '../../../guardrails/engine/index.ts';
import {
  NO_TEXTS,
  type Placeholders,
  type ReadTexts,
  unreadableTexts,
  withEdits,
} from '../../../guardrails/segments/index.ts';
import { isObject } from '../../../lib/json.ts';
import { readsOneWay } from '../../../lib/json-text/as-read.ts';
import { spliced } from '../../../lib/json-text/splice.ts';
import { FieldsBody } from './fields-body.ts';
import { linesBody } from './lines-body.ts';
import { textOfBytes } from './text-of-bytes.ts';

/** A body of bytes while it is checked, and its bytes afterwards. */
export type ByteBody = CheckedBody & { bytes(): Buffer };

/** What is left of the caller's or the provider's own bytes stays as it was written. */
export class JsonBytes extends CheckedJson implements ByteBody {
  readonly #bytes: Buffer;
  readonly #before: unknown;

  constructor(bytes: Buffer, value: unknown, phase: 'input' | 'output') {
    super(value, phase);
    this.#bytes = bytes;
    this.#before = value;
  }

  bytes(): Buffer {
    return this.isEdited ? rewritten(this.#bytes, this.#before, this.value) : this.#bytes;
  }
}

function rewritten(bytes: Buffer, before: unknown, after: unknown): Buffer {
  if (!isObject(before) || !isObject(after)) return Buffer.from(JSON.stringify(after));
  const changes = new Map<string, string | null>();
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changes.set(name, null);
  for (const [name, member] of Object.entries(after))
    if (member !== before[name]) changes.set(name, JSON.stringify(member));
  return changes.size === 0 ? bytes : spliced(bytes, changes);
}

/** A body that is one text. */
class TextBody implements ByteBody {
  readonly #bytes: Buffer;
  #text: string;
  isEdited = false;

  constructor(bytes: Buffer, text: string) {
    this.#bytes = bytes;
    this.#text = text;
  }

  get value(): null {
    return null;
  }

  get texts(): ReadTexts {
    const segment = { path: [], role: null, kind: 'text', text: this.#text, turn: null, choice: 0 } as const;
    return this.#text.trim() === '' ? NO_TEXTS : { ...NO_TEXTS, segments: [segment] };
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const edited = String(withEdits(this.#text, edits, placeholders));
    const hasChanged = edited !== this.#text;
    this.#text = edited;
    this.isEdited ||= hasChanged;
    return hasChanged;
  }

  replace(): void {
    throw new Error('A body that is no JSON cannot be replaced by one that is.');
  }

  bytes(): Buffer {
    return this.isEdited ? Buffer.from(this.#text) : this.#bytes;
  }
}

/** A body of which nothing can be said. */
const fixedBody = (bytes: Buffer, texts: ReadTexts): ByteBody => ({
  texts,
  value: null,
  isEdited: false,
  edit: () => false,
  replace: () => undefined,
  bytes: () => bytes,
});

/** What holds no words, unless its bytes are a text. */
const wordless = /^(?:audio|image|video|font|model)\//i;
const fields = /^\s*application\/x-www-form-urlencoded/i;

/** Any bytes: JSON, a text, sound and images, or what cannot be read. `type`: the content type. */
export function bodyOf(bytes: Buffer, type: string, phase: 'input' | 'output'): ByteBody {
  if (bytes.length === 0) return fixedBody(bytes, NO_TEXTS);
  // What is text is read as text, whatever its sender calls it.
  const said = textOfBytes(bytes);
  if (said === null || (!said.isExact && !wordless.test(type)))
    return fixedBody(bytes, wordless.test(type) ? NO_TEXTS : unreadableTexts('it is no text'));
  if (phase === 'input' && fields.test(type)) return new FieldsBody(bytes);
  const text = said.text.replace(/^\ufeff/, '');
  const value = parsed(text);
  if (typeof value !== 'object') return (phase === 'output' && linesBody(text)) || new TextBody(bytes, text);
  const json = bytes.subarray(bytes.length - Buffer.byteLength(text));
  if (phase === 'input' && value !== null && !readsOneWay(json, value))
    return fixedBody(bytes, unreadableTexts('not every reader finds the same in it'));
  return new JsonBytes(said.isExact ? json : Buffer.from(text), value, phase);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const unreadableBody = (bytes: Buffer, why: string): ByteBody =>
  fixedBody(bytes, unreadableTexts(why));
