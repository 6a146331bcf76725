import type { TextEdit } from '../../../guardrails/check.ts';
import type { FoundSegment, Placeholders, ReadTexts } from '../../../guardrails/segments/index.ts';
import { type ByteBody, bodyOf } from '../../guardrails/bodies/byte-body.ts';
import type { SideMessage } from './gate.ts';

/** In the place of a path: the text stands in an earlier message. */
const EARLIER = '\u0000earlier';

/** A message of the caller while it is checked, with what the caller said before it. */
export class SessionMessage implements ByteBody {
  readonly #own: ByteBody;
  readonly #earlier: readonly FoundSegment[];

  constructor({ data }: SideMessage, said: readonly FoundSegment[]) {
    this.#own = bodyOf(data, '', 'input');
    this.#earlier = said.map((segment, at) => ({ ...segment, path: [EARLIER, at], turn: 0 }));
  }

  /** Its own texts, as they are now; all of them are new. */
  get own(): readonly FoundSegment[] {
    return this.#own.texts.segments.map((segment) => ({ ...segment, turn: null }));
  }

  /** Whether there is anything to read, or anything that cannot be read. */
  get saysSomething(): boolean {
    return this.#own.texts.segments.length > 0 || this.#own.texts.unreadable !== null;
  }

  get texts(): ReadTexts {
    const { unreadable } = this.#own.texts;
    return { segments: [...this.#earlier, ...this.own], lastAnswer: -1, lastTurn: 1, unreadable };
  }

  get value(): unknown {
    return this.#own.value;
  }

  get isEdited(): boolean {
    return this.#own.isEdited;
  }

  /** What went on earlier stays as it is. */
  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const own = edits.filter(({ segment }) => segment.path[0] !== EARLIER);
    return own.length > 0 && this.#own.edit(own, placeholders);
  }

  replace(value: Readonly<Record<string, unknown>>): void {
    this.#own.replace(value);
  }

  bytes(): Buffer {
    return this.#own.bytes();
  }
}
