import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../lib/json.ts';
import { modelOf, type TurnUsage } from '../../chat-completions/turn.ts';
import type { Block } from '../../over-chat/blocks.ts';
import { isGiven, picked } from '../../over-chat/fields.ts';
import type { ChatEnding } from '../../over-chat/stream.ts';
import { readWhole } from '../../over-chat/whole.ts';

/** A chat completion as a response. */
export function responsesAnswer(chat: JsonObject, request: JsonObject): JsonObject {
  const { blocks, ending } = readWhole(chat);
  const stop = stopOf(ending);
  return {
    ...responseHead(chat, request),
    ...stop,
    output: blocks.map((block, index) => {
      const status = index === blocks.length - 1 ? stop.status : 'completed';
      return itemOf(block, newItemId(block), block.content, status);
    }),
    ...spentOf(ending),
  };
}

/** What of a request stands in the response again. */
export const echoed: readonly string[] = [
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'user',
];

/** What is known of a response when it begins. */
export const responseHead = (chat: JsonObject, request: JsonObject): JsonObject => ({
  id: responseId(chat.id),
  object: 'response',
  created_at: typeof chat.created === 'number' ? chat.created : now(),
  completed_at: null,
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  temperature: null,
  top_p: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  text: { format: { type: 'text' } },
  truncation: 'disabled',
  ...picked(request, echoed),
  model: modelOf(chat, request),
  output: [],
  usage: null,
});

/** Shows which answer of the provider it was. */
const responseId = (id: unknown): string =>
  `resp_${typeof id === 'string' && id !== '' ? id.replace(/^chatcmpl-/, '') : randomId()}`;

const randomId = () => randomUUID().replaceAll('-', '');

const now = () => Math.floor(Date.now() / 1000);

const prefixes = { thinking: 'rs', text: 'msg', refusal: 'msg', tool: 'fc' };

export const newItemId = ({ kind }: Block): string => `${prefixes[kind]}_${randomId()}`;

/** An item of the output; one that is in progress has no content yet. */
export function itemOf(block: Block, id: string, content: string, status: string): JsonObject {
  if (block.kind === 'tool') {
    return { id, type: 'function_call', status, call_id: block.id, name: block.name, arguments: content };
  }
  const parts = status === 'in_progress' ? [] : [partOf(block, content)];
  return block.kind === 'thinking'
    ? { id, type: 'reasoning', status, summary: [], content: parts }
    : { id, type: 'message', status, role: 'assistant', content: parts };
}

export function partOf({ kind }: Block, text: string): JsonObject {
  if (kind === 'refusal') return { type: 'refusal', refusal: text };
  if (kind === 'thinking') return { type: 'reasoning_text', text };
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

const incomplete = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

export function stopOf({ finish }: ChatEnding): { status: string; [name: string]: unknown } {
  const reason = incomplete.get(finish ?? '');
  return isGiven(reason)
    ? { status: 'incomplete', incomplete_details: { reason } }
    : { status: 'completed', completed_at: now() };
}

/** What a response says of its usage, and of the terms on which it was answered. */
export const spentOf = ({ usage }: ChatEnding): JsonObject => ({
  ...(usage.tier !== null && { service_tier: usage.tier }),
  usage: usageOf(usage),
});

const usageOf = ({ prompt, cacheRead, cacheWritten, completion, reasoning }: TurnUsage): JsonObject => ({
  input_tokens: prompt,
  input_tokens_details: {
    cached_tokens: cacheRead,
    ...(cacheWritten > 0 && { cache_write_tokens: cacheWritten }),
  },
  output_tokens: completion,
  output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  total_tokens: prompt + completion,
});
