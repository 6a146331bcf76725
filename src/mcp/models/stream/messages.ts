import { formatEvent, type ServerSentEvent } from '../../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../../lib/json.ts';
import { resultBlock, useBlock } from '../formats/messages.ts';
import { assembled, type StreamWeaver, type WeaverGiven } from './weaver.ts';

const event = (type: string, members: JsonObject) => formatEvent(type, JSON.stringify({ type, ...members }));

/** Messages, as Anthropic has them: the blocks of all rounds are those of one message. */
export function messagesWeaver({ toolOf }: WeaverGiven): StreamWeaver {
  let events: ServerSentEvent[] = [];
  let hasBegun = false;
  /** Blocks of the rounds before, and of this one so far. */
  let before = 0;
  let count = 0;

  function shifted(type: string, payload: JsonObject): string {
    const index = before + Number(payload.index);
    count = Math.max(count, index + 1);
    const { content_block: block } = payload;
    if (type !== 'content_block_start' || !isObject(block) || block.type !== 'tool_use')
      return event(type, { ...payload, index });
    const tool = toolOf(String(block.name));
    const shown = tool ? useBlock({ call: { id: String(block.id) }, tool }, {}) : block;
    return event(type, { ...payload, index, content_block: shown });
  }

  return {
    begin() {
      events = [];
      before = count;
    },
    take(given) {
      events.push(given);
      const payload = parsedObject(given.data);
      const type = String(payload?.type ?? given.name);
      if (payload === null || type === 'error' || type === 'ping') return formatEvent(given.name, given.data);
      if (type === 'message_delta' || type === 'message_stop') return '';
      if (type.startsWith('content_block')) return shifted(type, payload);
      const isAgain = type === 'message_start' && hasBegun;
      hasBegun ||= type === 'message_start';
      return isAgain ? '' : formatEvent(given.name, given.data);
    },
    begun: () => '',
    made(outcome) {
      const index = count++;
      return [
        event('content_block_start', { index, content_block: resultBlock(outcome) }),
        event('content_block_stop', { index }),
      ].join('');
    },
    told: () => assembled('messages', events),
    end: ({ stop_reason, stop_sequence, usage }) =>
      event('message_delta', { delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage }) +
      event('message_stop', {}),
  };
}
