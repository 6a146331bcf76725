import type { Teller } from '../events/teller.ts';
import type { Citation, ContentPart, MessageItem } from '../items.ts';
import { CitationFilter, type CitedPiece } from './citations.ts';

/** A message on its way: puts together what the model says, and tells each piece of it. */
export class Saying {
  readonly message: MessageItem;
  readonly #teller: Teller;
  readonly #filter: CitationFilter;

  /** `opening`: what the message begins with before its first word. */
  constructor(
    message: MessageItem,
    teller: Teller,
    { parts, citations }: { parts: readonly ContentPart[]; citations: readonly Citation[] },
  ) {
    this.message = message;
    this.#teller = teller;
    this.#filter = new CitationFilter(citations);
    for (const part of parts) {
      const index = message.content.push(part) - 1;
      teller.messageDelta(message._id, { index, ...part });
    }
  }

  say(kind: 'text' | 'refusal', text: string): void {
    if (kind === 'refusal') this.#refuse(text);
    else for (const piece of this.#filter.take(text)) this.#take(piece);
  }

  /** Says what was held back: nothing follows. */
  end(): void {
    for (const piece of this.#filter.end()) this.#take(piece);
  }

  #take(piece: CitedPiece): void {
    const { index, part, isNew } = this.#partOf('text');
    if (part.type !== 'text') return;
    if (piece.kind === 'text') {
      part.text.value += piece.text;
      this.#tell({
        index,
        type: 'text',
        text: { value: piece.text, ...(isNew && { annotations: [] }) },
      });
    } else {
      const place = part.text.annotations.push(piece.annotation) - 1;
      this.#tell({ index, type: 'text', text: { annotations: [{ index: place, ...piece.annotation }] } });
    }
  }

  #refuse(text: string): void {
    const { index, part } = this.#partOf('refusal');
    if (part.type !== 'refusal') return;
    part.refusal += text;
    this.#tell({ index, type: 'refusal', refusal: text });
  }

  #tell(part: object): void {
    this.#teller.messageDelta(this.message._id, part);
  }

  #partOf(kind: 'text' | 'refusal'): { index: number; part: ContentPart; isNew: boolean } {
    const { content } = this.message;
    const index = content.findIndex(({ type }) => type === kind);
    const found = content[index];
    if (found) return { index, part: found, isNew: false };
    const part: ContentPart =
      kind === 'text'
        ? { type: 'text', text: { value: '', annotations: [] } }
        : { type: 'refusal', refusal: '' };
    return { index: content.push(part) - 1, part, isNew: true };
  }
}
