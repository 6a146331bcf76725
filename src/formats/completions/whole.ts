import { formatEvent } from '../../lib/event-stream/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { doneEvent } from '../chat-completions/stream.ts';
import { chunksOf } from '../chat-completions/whole.ts';
import { objectsOf, type WholeFormat } from '../stream/whole-format.ts';

/** Text completions. */
export const completionsWholeFormat: WholeFormat = {
  assemble(events) {
    const chunks = chunksOf(events);
    const first = chunks?.[0];
    if (!chunks || !first) return null;
    const choices = new Map<unknown, JsonObject>();
    let usage: unknown = null;
    for (const chunk of chunks) {
      if (chunk.error !== undefined) return null;
      usage = chunk.usage ?? usage;
      for (const { index, text, finish_reason } of objectsOf(chunk.choices)) {
        const choice = choices.get(index) ?? { index, text: '', logprobs: null, finish_reason: null };
        choice.text = `${choice.text}${text ?? ''}`;
        choice.finish_reason = finish_reason ?? choice.finish_reason;
        choices.set(index, choice);
      }
    }
    const list = [...choices.values()];
    if (list.length === 0 || list.some((choice) => choice.finish_reason === null)) return null;
    return { ...first, choices: list, ...(usage !== null && { usage }) };
  },

  replay({ choices, usage, ...head }, { withUsage }) {
    const chunk = (members: JsonObject) => formatEvent(null, JSON.stringify({ ...head, ...members }));
    const texts = objectsOf(choices).map((choice) => chunk({ choices: [choice] }));
    if (withUsage && usage) texts.push(chunk({ choices: [], usage }));
    return texts.join('') + doneEvent;
  },
};
