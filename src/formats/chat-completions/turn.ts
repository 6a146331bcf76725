import { isObject, type JsonObject } from '../../lib/json.ts';
import type { TokenClasses } from '../usage/classes.ts';
import { chatUsage } from './usage.ts';

/** Characters of the name of a tier. */
const MAX_TIER = 32;

/** A tool call of an answer, or the next piece of one. */
export type TurnCall = { index: number; id: string | null; name: string | null; arguments: string };

/** What the assistant says: the whole of it in an answer, the next piece in a stream. */
export type Turn = { thinking: string; text: string; refusal: string; calls: TurnCall[] };

/** Tokens as chat counts them; zero where the provider did not say. */
export type TurnUsage = {
  /** All of the prompt, cached tokens included. */
  prompt: number;
  cacheRead: number;
  cacheWritten: number;
  /** All that was generated, reasoning included. */
  completion: number;
  /** Null when the provider does not tell it apart. */
  reasoning: number | null;
  /** The terms on which it was answered, such as `flex`; null when the provider does not say. */
  tier: string | null;
};

/** Chat may give several choices; the callers' formats have one. */
export function firstChoice(chat: JsonObject): JsonObject | null {
  if (!Array.isArray(chat.choices)) return null;
  const first = chat.choices.find((choice) => isObject(choice) && (choice.index ?? 0) === 0);
  return (first as JsonObject | undefined) ?? null;
}

/** The model that answered or, where the provider does not say, that was asked. */
export const modelOf = (chat: JsonObject, request: JsonObject): string =>
  typeof chat.model === 'string' ? chat.model : String(request.model ?? '');

/** `message` of an answer or `delta` of a chunk. */
export function readTurn(message: JsonObject): Turn {
  return {
    thinking: thinkingOf(message),
    text: textOf(message.content),
    refusal: typeof message.refusal === 'string' ? message.refusal : '',
    calls: Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject).map(readCall) : [],
  };
}

function readCall(call: JsonObject, position: number): TurnCall {
  const { name, arguments: given } = isObject(call.function) ? call.function : {};
  return {
    index: typeof call.index === 'number' ? call.index : position,
    id: typeof call.id === 'string' && call.id !== '' ? call.id : null,
    name: typeof name === 'string' && name !== '' ? name : null,
    arguments: typeof given === 'string' ? given : '',
  };
}

/** Content is a string, or a list of parts at some providers. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? joined(content, 'text') : '';
}

/** OpenAI's format has no place for reasoning: providers chose two members, and `content_blocks` is the gateway's own. */
function thinkingOf({ reasoning_content: content, reasoning, content_blocks: blocks }: JsonObject): string {
  if (typeof content === 'string') return content;
  if (typeof reasoning === 'string') return reasoning;
  if (!Array.isArray(blocks)) return '';
  return joined(
    blocks.map((block) => (isObject(block) && isObject(block.delta) ? block.delta : block)),
    'thinking',
  );
}

const joined = (items: unknown[], member: string): string =>
  items.map((item) => (isObject(item) && typeof item[member] === 'string' ? item[member] : '')).join('');

/** Null when the answer or the chunk has none. */
export function readUsage({ usage, service_tier: tier }: JsonObject): TurnUsage | null {
  if (!isObject(usage)) return null;
  const { promptTokens, completionTokens, classes } = chatUsage.read(usage);
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const told = details.reasoning_tokens ?? usage.reasoning_tokens;
  return {
    prompt: promptTokens ?? 0,
    cacheRead: sumOf(classes, 'cache_read_'),
    cacheWritten: sumOf(classes, 'cache_write_'),
    completion: completionTokens ?? 0,
    reasoning: typeof told === 'number' ? (classes?.reasoning_token ?? 0) : null,
    tier: typeof tier === 'string' && tier.length <= MAX_TIER ? tier : null,
  };
}

const sumOf = (classes: TokenClasses | null, beginning: string): number =>
  Object.entries(classes ?? {})
    .filter(([unit]) => unit.startsWith(beginning))
    .reduce((sum, [, tokens]) => sum + tokens, 0);

export const NO_USAGE: TurnUsage = {
  prompt: 0,
  cacheRead: 0,
  cacheWritten: 0,
  completion: 0,
  reasoning: null,
  tier: null,
};
