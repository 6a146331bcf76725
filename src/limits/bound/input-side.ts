import { isObject, type JsonObject } from '../../lib/json.ts';
import { readMedia } from './media.ts';

/** What a call can make a model read. */
export type InputSide = {
  /** Tokens that it comes to at most; where `isCertain` is false, a guess. */
  most: number;
  /** Tokens that it probably comes to. */
  likely: number;
  isCertain: boolean;
};

/** Tokens around each message, and for the presence of tools: what providers add to the text. */
const PER_MESSAGE = 16;
const FOR_TOOLS = 1024;
/** Tokens that something counts for which stands elsewhere: a stored conversation, a file, the results of a provider's tool. */
const FOR_WHAT_IS_ELSEWHERE = 10_000;
/** Bytes of text that are a token in most languages. */
const BYTES_OF_A_TOKEN = 4;

/**
 * A tokenizer over bytes makes at most one token of each, and JSON spells a text in no fewer bytes than it has: so the
 * length of the body is a bound, and costs nothing to know. MediaCount count by their number and not by their bytes.
 */
export function inputSide(value: JsonObject, bytes: number): InputSide {
  const media = readMedia(value);
  const text = Math.max(0, bytes - media.bytes);
  const around =
    PER_MESSAGE * Math.max(1, lengthOf(value.messages), lengthOf(value.input), lengthOf(value.contents)) +
    (value.tools ? FOR_TOOLS : 0);
  const elsewhere = elsewhereIn(value) + media.elsewhere;
  const beside = around + media.tokens + elsewhere * FOR_WHAT_IS_ELSEWHERE;
  return {
    most: text + beside,
    likely: Math.ceil(text / BYTES_OF_A_TOKEN) + around + media.tokens,
    isCertain: elsewhere === 0 && media.isCertain,
  };
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Members that stand for text which the gateway does not see. */
const references = [
  'previous_response_id',
  'conversation',
  'cachedContent',
  'cached_content',
  'container',
  'web_search_options',
  'search_parameters',
  'plugins',
  'mcp_servers',
] as const;

/** Tools that the provider runs itself, and whose results the model reads. */
const ownTools =
  /^(web_search|web_fetch|code_|file_search|mcp|image_generation|browser|x_search|google_?search|url_?context|tool_search|retrieval)/i;

function elsewhereIn(value: JsonObject): number {
  let found = 0;
  for (const name of references) if ((value[name] ?? null) !== null) found++;
  // A prompt that is stored at the provider; that of text completions is the text itself.
  if (isObject(value.prompt)) found++;
  if (Array.isArray(value.tools)) found += value.tools.filter(isOwnTool).length;
  return found;
}

function isOwnTool(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  if (typeof tool.type === 'string') return ownTools.test(tool.type);
  return Object.keys(tool).some((name) => ownTools.test(name));
}
