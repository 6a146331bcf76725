import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isText, RequestProblem } from '../fields.ts';
import { cacheOptions } from './cache-control.ts';
import { partsOf } from './parts.ts';

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>;

/** OpenAI's messages as the library's prompt: what is said to the system comes first, as most providers take it nowhere else. */
export function promptOf(messages: unknown): LanguageModelV4Prompt {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RequestProblem('messages must be a list with at least one message.', 'messages');
  const names = new Map<string, string>();
  const system: LanguageModelV4Prompt = [];
  const rest: LanguageModelV4Prompt = [];
  messages.forEach((message: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isObject(message)) throw new RequestProblem(`${at} must be an object.`, at);
    if (message.role === 'system' || message.role === 'developer') system.push(...systemOf(message, at));
    else rest.push(turnOf(message, at, names));
  });
  if (rest.length === 0)
    throw new RequestProblem('messages must hold more than instructions to the system.', 'messages');
  return [...system, ...rest];
}

function systemOf({ content, cache_control: mark }: Fields, at: string): LanguageModelV4Prompt {
  return partsOf(content, at).map((part) => {
    if (part.type !== 'text') throw new RequestProblem(`${at}.content may only have texts.`, `${at}.content`);
    return {
      role: 'system',
      content: part.text,
      providerOptions: part.providerOptions ?? cacheOptions(mark),
    };
  });
}

function turnOf(message: Fields, at: string, names: Map<string, string>): LanguageModelV4Message {
  const providerOptions = cacheOptions(message.cache_control);
  if (message.role === 'user')
    return { role: 'user', content: partsOf(message.content, at), providerOptions };
  if (message.role === 'assistant')
    return { role: 'assistant', content: assistantOf(message, at, names), providerOptions };
  if (message.role === 'tool') return { ...toolResult(message, at, names), providerOptions };
  throw new RequestProblem(`${at}.role must be system, developer, user, assistant or tool.`, `${at}.role`);
}

function assistantOf(message: Fields, at: string, names: Map<string, string>): Assistant['content'] {
  const { content, refusal, tool_calls: calls } = message;
  const spoken = Array.isArray(content) ? content.filter((part) => !isThinking(part)) : content;
  const text =
    spoken === null || spoken === undefined || spoken === ''
      ? []
      : partsOf(spoken, at).filter((part) => part.type !== 'text' || part.text !== '');
  if (calls !== undefined && calls !== null && !Array.isArray(calls))
    throw new RequestProblem(`${at}.tool_calls must be a list.`, `${at}.tool_calls`);
  return [
    ...thoughtsOf(message),
    ...text,
    ...(isText(refusal) && refusal !== '' ? [{ type: 'text' as const, text: refusal }] : []),
    ...(calls ?? []).map((call: unknown, index: number) => callOf(call, `${at}.tool_calls[${index}]`, names)),
  ];
}

const isThinking = (part: unknown): part is Fields =>
  isObject(part) && (part.type === 'thinking' || part.type === 'redacted_thinking');

/** Thoughts that a client sends back, which models want to see beside the tools they called for. */
function thoughtsOf(message: Fields): LanguageModelV4ReasoningPart[] {
  const lists = [message.content_blocks, message.thinking_blocks, message.content];
  const blocks = lists.map((list) => (Array.isArray(list) ? list.filter(isThinking) : []));
  const found = blocks.find((list) => list.length > 0);
  if (found) return found.map(thoughtOf);
  const text = message.reasoning_content;
  return isText(text) && text !== '' ? [{ type: 'reasoning', text }] : [];
}

function thoughtOf({ thinking, signature, data }: Fields): LanguageModelV4ReasoningPart {
  const sealed = {
    ...(isText(signature) && { signature }),
    ...(isText(data) && { redactedData: data }),
  };
  return {
    type: 'reasoning',
    text: isText(thinking) ? thinking : '',
    providerOptions: {
      anthropic: sealed,
      amazonBedrock: sealed,
      ...(isText(signature) && { google: { thoughtSignature: signature } }),
    },
  };
}

function callOf(call: unknown, at: string, names: Map<string, string>): LanguageModelV4ToolCallPart {
  const { id, function: called, extra_content: extra } = isObject(call) ? call : {};
  const { name, arguments: text } = isObject(called) ? called : {};
  if (!isText(id) || id === '' || !isText(name) || name === '')
    throw new RequestProblem(`${at} must have an id and a function with a name.`, at);
  names.set(id, name);
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: argumentsOf(text, `${at}.function.arguments`),
    providerOptions: signatureOf(extra),
  };
}

function argumentsOf(text: unknown, at: string): unknown {
  if (text === undefined || text === null || text === '') return {};
  try {
    const value: unknown = isText(text) ? JSON.parse(text) : null;
    if (isObject(value)) return value;
  } catch {
    // Said below, for whatever else is no object as well.
  }
  throw new RequestProblem(`${at} must be a JSON object as text.`, at);
}

/** Where Google's own OpenAI-compatible API puts the proof of what a model thought before it called a function. */
function signatureOf(extra: unknown): LanguageModelV4ToolCallPart['providerOptions'] {
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return isText(signature) ? { google: { thoughtSignature: signature } } : undefined;
}

function toolResult(message: Fields, at: string, names: Map<string, string>): LanguageModelV4Message {
  const { tool_call_id: id, content } = message;
  const name = isText(id) ? names.get(id) : undefined;
  if (!isText(id) || name === undefined)
    throw new RequestProblem(
      `${at}.tool_call_id must be the id of an earlier tool call of the assistant.`,
      `${at}.tool_call_id`,
    );
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: id, toolName: name, output: outputOf(content, at) }],
  };
}

function outputOf(content: unknown, at: string): LanguageModelV4ToolResultOutput {
  if (isText(content)) return { type: 'text', value: content };
  const parts = partsOf(content, at);
  if (parts.every((part) => part.type === 'text')) {
    const marked = parts.find((part) => part.providerOptions)?.providerOptions;
    return { type: 'text', value: parts.map((part) => part.text).join(''), providerOptions: marked };
  }
  return {
    type: 'content',
    value: parts.map((part) => {
      // Some libraries would fetch it by themselves.
      if (part.type === 'file' && part.data.type === 'url')
        throw new RequestProblem(`${at}.content: what a tool answers must be a data URL.`, `${at}.content`);
      return part;
    }),
  };
}
