import type { CheckedBody } from '../../../guardrails/engine/index.ts';
import { Lane, textsOf } from '../../../guardrails/stream/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Characters that are kept. */
const MAX_LENGTH = 1024 * 1024;

/** What a provider said and the caller has, for guardrails that look at it when an answer is over. */
export class SpokenTexts {
  readonly #lanes = new Map<number, Lane>();
  #length = 0;

  add(event: JsonObject): void {
    for (const { choice, key, kind, role, text, isPiece } of textsOf(event)) {
      const lane = this.#lanes.get(choice) ?? new Lane(choice);
      if ((!isPiece && lane.sentFor(text)) || this.#length > MAX_LENGTH) continue;
      this.#lanes.set(choice, lane);
      lane.add({ key, kind, role, text });
      this.#length += text.length;
    }
  }

  bodies(): CheckedBody[] {
    return [...this.#lanes.values()].map((lane) => lane.window(lane.end));
  }
}
