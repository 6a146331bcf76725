import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../lib/json.ts';
import { modelOf, type TurnUsage } from '../../chat-completions/turn.ts';
import type { Block } from '../../over-chat/blocks.ts';
import type { ChatEnding } from '../../over-chat/stream.ts';
import { readWhole, type WholeBlock } from '../../over-chat/whole.ts';

/** A chat completion as an Anthropic message. */
export function messagesAnswer(chat: JsonObject, request: JsonObject): JsonObject {
  const { blocks, ending } = readWhole(chat);
  return {
    ...messageHead(chat, request),
    content: blocks.map(wholeBlock),
    ...stopOf(ending, blocks, request),
    usage: { ...emptyUsage, ...usageOf(ending.usage) },
  };
}

/** What is known of a message when it begins; the rest stands empty. */
export const messageHead = (chat: JsonObject, request: JsonObject): JsonObject => ({
  id: messageId(chat.id),
  type: 'message',
  role: 'assistant',
  model: modelOf(chat, request),
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: emptyUsage,
});

/** Shows which answer of the provider it was. */
const messageId = (id: unknown): string =>
  `msg_${typeof id === 'string' && id !== '' ? id.replace(/^chatcmpl-/, '') : randomUUID().replaceAll('-', '')}`;

const emptyUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};

/** Chat counts cached tokens among those of the prompt; a message counts each class by itself. */
export const usageOf = ({
  prompt,
  cacheRead,
  cacheWritten,
  completion,
  reasoning,
  tier,
}: TurnUsage): JsonObject => ({
  input_tokens: Math.max(0, prompt - cacheRead - cacheWritten),
  cache_creation_input_tokens: cacheWritten,
  cache_read_input_tokens: cacheRead,
  output_tokens: completion,
  output_tokens_details: reasoning === null ? null : { thinking_tokens: reasoning },
  server_tool_use: null,
  service_tier: tier === 'default' ? 'standard' : tier,
});

/** A block as it begins. */
export function emptyBlock(block: Block): JsonObject {
  if (block.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.kind === 'tool')
    return { type: 'tool_use', id: block.id, name: block.name, input: {}, caller: { type: 'direct' } };
  return { type: 'text', text: '', citations: null };
}

function wholeBlock(block: WholeBlock): JsonObject {
  const empty = emptyBlock(block);
  if (block.kind === 'thinking') return { ...empty, thinking: block.content };
  if (block.kind === 'tool') return { ...empty, input: inputOf(block.content) };
  return { ...empty, text: block.content };
}

/** Models write arguments that are no JSON now and then: the caller, who knows the schema, sees them as they are. */
function inputOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const reasons = new Map([
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
  ['tool_calls', 'tool_use'],
]);

/** `blocks`: those of the answer. */
export function stopOf(ending: ChatEnding, blocks: readonly Block[], request: JsonObject): JsonObject {
  const sequence = metSequence(ending, request);
  const reason = reasonOf(ending, blocks, sequence);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? sequence : null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function reasonOf({ finish }: ChatEnding, blocks: readonly Block[], sequence: string | null): string {
  const found = reasons.get(finish ?? '');
  if (found) return found;
  // Some providers finish a tool call with `stop`.
  if (blocks.some(({ kind }) => kind === 'tool')) return 'tool_use';
  if (blocks.some(({ kind }) => kind === 'refusal')) return 'refusal';
  return sequence === null ? 'end_turn' : 'stop_sequence';
}

const metSequence = ({ stopSequence }: ChatEnding, { stop_sequences: asked }: JsonObject): string | null =>
  stopSequence !== null && Array.isArray(asked) && asked.includes(stopSequence) ? stopSequence : null;
