import type { CheckedBody } from '../../guardrails/engine/index.ts';
import { NO_TEXTS } from '../../guardrails/segments/index.ts';
import { WindowBody } from '../../guardrails/stream/index.ts';
import { createEventReader } from '../../lib/event-stream/index.ts';
import { textsIn } from './event-data.ts';

/** Characters of a sent stream that are looked at afterwards. */
const MAX_KEPT = 4 * 1024 * 1024;

/** Text that was sent, for guardrails that look at it when it is over. */
export class ReportedText {
  #sent = '';
  #isCut = false;

  add(text: string): void {
    if (this.#sent.length + text.length > MAX_KEPT) this.#isCut = true;
    else this.#sent += text;
  }

  /** All of it; nothing in it can be changed any more. */
  body(): CheckedBody {
    const pieces = new Map<number, ConstructorParameters<typeof WindowBody>[0][number][]>();
    let at = 0;
    const reader = createEventReader(({ data }) => {
      for (const { isPiece, choice, key, kind, role, text } of textsIn(data)) {
        if (!isPiece || data === '[DONE]') continue;
        const known = pieces.get(choice);
        const piece = { key, kind, role, start: at, text };
        if (known) known.push(piece);
        else pieces.set(choice, [piece]);
        at += text.length;
      }
    }, MAX_KEPT);
    reader.feed(Buffer.from(this.#sent));
    const segments = [...pieces].flatMap(([choice, own]) => new WindowBody(own, choice).texts.segments);
    const unreadable = this.#isCut ? `it has more than ${MAX_KEPT} characters` : null;
    return {
      value: null,
      isEdited: false,
      texts: { ...NO_TEXTS, segments, unreadable },
      edit: () => false,
      replace: () => undefined,
    };
  }
}
