import { formatEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf, payloadsOf, type WholeFormat } from '../stream/whole-format.ts';

/** OpenAI's responses ("Streaming events"): the last event carries the whole. */
export const responsesWholeFormat: WholeFormat = {
  assemble(events) {
    const last = payloadsOf(events.slice(-1))?.[0];
    return last?.type === 'response.completed' && isObject(last.response) ? last.response : null;
  },

  replay(response) {
    const texts: string[] = [];
    const emit = (type: string, members: JsonObject) => {
      texts.push(formatEvent(type, JSON.stringify({ type, ...members, sequence_number: texts.length })));
    };
    const unfinished = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null };
    emit('response.created', { response: unfinished });
    emit('response.in_progress', { response: unfinished });
    for (const [index, item] of objectsOf(response.output).entries()) emitItem(item, index, emit);
    emit('response.completed', { response });
    return texts.join('');
  },
};

type Emit = (type: string, members: JsonObject) => void;

function emitItem(item: JsonObject, output_index: number, emit: Emit): void {
  const at = { item_id: item.id, output_index };
  const started = { ...item, status: 'in_progress' };
  if (item.type === 'message') {
    emit('response.output_item.added', { output_index, item: { ...started, content: [] } });
    for (const [content_index, part] of objectsOf(item.content).entries())
      emitPart(part, { ...at, content_index }, emit);
  } else if (item.type === 'function_call') {
    emit('response.output_item.added', { output_index, item: { ...started, arguments: '' } });
    emit('response.function_call_arguments.delta', { ...at, delta: item.arguments });
    emit('response.function_call_arguments.done', { ...at, arguments: item.arguments });
  } else emit('response.output_item.added', { output_index, item: started });
  emit('response.output_item.done', { output_index, item });
}

function emitPart(part: JsonObject, at: JsonObject, emit: Emit): void {
  if (part.type === 'output_text') {
    emit('response.content_part.added', { ...at, part: { ...part, text: '', annotations: [] } });
    emit('response.output_text.delta', { ...at, delta: part.text, logprobs: [] });
    emit('response.output_text.done', { ...at, text: part.text, logprobs: part.logprobs ?? [] });
  } else if (part.type === 'refusal') {
    emit('response.content_part.added', { ...at, part: { ...part, refusal: '' } });
    emit('response.refusal.delta', { ...at, delta: part.refusal });
    emit('response.refusal.done', { ...at, refusal: part.refusal });
  } else emit('response.content_part.added', { ...at, part });
  emit('response.content_part.done', { ...at, part });
}
