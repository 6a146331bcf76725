import { formatEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf, payloadsOf, type WholeFormat } from '../stream/whole-format.ts';

/** Anthropic's messages ("Streaming Messages"). */
export const messagesWholeFormat: WholeFormat = {
  assemble(events) {
    const payloads = payloadsOf(events);
    if (payloads?.at(-1)?.type !== 'message_stop') return null;
    let message: JsonObject | null = null;
    const blocks: JsonObject[] = [];
    for (const payload of payloads) {
      if (payload.type === 'error') return null;
      if (payload.type === 'message_start' && isObject(payload.message)) message = { ...payload.message };
      else if (payload.type === 'content_block_start' && isObject(payload.content_block))
        blocks[Number(payload.index)] = { ...payload.content_block };
      else if (payload.type === 'content_block_delta' && isObject(payload.delta))
        addDelta(blocks[Number(payload.index)], payload.delta);
      else if (payload.type === 'message_delta' && message) {
        message = withDelta(message, payload);
      }
    }
    if (!message || [...blocks].some((block) => block === undefined)) return null;
    return { ...message, content: blocks.map(withParsedInput) };
  },

  replay({ content, stop_reason, stop_sequence, usage, ...head }) {
    const event = (type: string, members: JsonObject) =>
      formatEvent(type, JSON.stringify({ type, ...members }));
    const start = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
    return [
      event('message_start', { message: start }),
      ...objectsOf(content).flatMap((block, index) => [
        event('content_block_start', { index, content_block: emptied(block) }),
        ...deltasOf(block).map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage }),
      event('message_stop', {}),
    ].join('');
  },
};

const RAW_INPUT = 'partial_json';

function withDelta(message: JsonObject, { delta, usage }: JsonObject): JsonObject {
  const whole: JsonObject = { ...message };
  if (isObject(delta)) Object.assign(whole, delta);
  if (isObject(usage)) whole.usage = { ...(isObject(message.usage) ? message.usage : {}), ...usage };
  return whole;
}

function addDelta(block: JsonObject | undefined, delta: JsonObject): void {
  if (!block) return;
  const append = (member: string, piece: unknown) => {
    block[member] = `${block[member] ?? ''}${piece ?? ''}`;
  };
  if (delta.type === 'text_delta') append('text', delta.text);
  else if (delta.type === 'thinking_delta') append('thinking', delta.thinking);
  else if (delta.type === 'signature_delta') append('signature', delta.signature);
  else if (delta.type === 'input_json_delta') append(RAW_INPUT, delta.partial_json);
  else if (delta.type === 'citations_delta')
    block.citations = [...((block.citations as unknown[]) ?? []), delta.citation];
}

function withParsedInput({ [RAW_INPUT]: input, ...block }: JsonObject): JsonObject {
  return typeof input === 'string' && input !== '' ? { ...block, input: JSON.parse(input) } : block;
}

/** A block as it stands at its start, before its deltas. */
function emptied(block: JsonObject): JsonObject {
  if (block.type === 'text') return { ...block, text: '', ...(block.citations ? { citations: [] } : {}) };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return 'input' in block ? { ...block, input: {} } : block;
}

function deltasOf(block: JsonObject): JsonObject[] {
  if (block.type === 'text') {
    const citations = Array.isArray(block.citations) ? block.citations : [];
    return [
      { type: 'text_delta', text: block.text },
      ...citations.map((citation) => ({ type: 'citations_delta', citation })),
    ];
  }
  if (block.type === 'thinking') {
    return [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature ?? '' },
    ];
  }
  return 'input' in block ? [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }] : [];
}
