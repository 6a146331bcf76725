import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import type { Fields } from '../fields.ts';
import { UnreadableAnswer } from './errors.ts';
import { blockOf, callExtras, citationOf } from './extras.ts';
import { finishReasonOf, isCutOff, usageOf } from './usage.ts';

export type AnswerNaming = { provider: string; model: string; strict: boolean };

/** A whole answer as a chat completion. */
export function completionOf(
  result: LanguageModelV4GenerateResult,
  { provider, model, strict }: AnswerNaming,
): Fields {
  const { content, finishReason, response } = result;
  if (finishReason.unified === 'error')
    throw new UnreadableAnswer(`the model stopped with ${finishReason.raw ?? 'an error'}`);
  if (content.length === 0 && isCutOff(finishReason))
    throw new UnreadableAnswer('the answer has neither content nor an end');
  const calls = content.filter(isCall);
  return {
    id: response?.id ?? `${provider}-${Date.now()}`,
    object: 'chat.completion',
    created: Math.floor((response?.timestamp?.getTime() ?? Date.now()) / 1000),
    model: response?.modelId ?? model,
    choices: [
      {
        index: 0,
        message: messageOf(content, calls, strict),
        logprobs: null,
        finish_reason: finishReasonOf(finishReason, calls.length > 0),
        ...(!strict && finishReason.raw !== undefined && { native_finish_reason: finishReason.raw }),
      },
    ],
    usage: usageOf(result.usage),
  };
}

const isCall = (part: LanguageModelV4Content): part is LanguageModelV4ToolCall =>
  part.type === 'tool-call' && part.providerExecuted !== true;

function messageOf(
  content: LanguageModelV4Content[],
  calls: LanguageModelV4ToolCall[],
  strict: boolean,
): Fields {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCallOf(call, strict)) }),
    ...(!strict && extrasOf(content)),
  };
}

const toolCallOf = (call: LanguageModelV4ToolCall, strict: boolean): Fields => ({
  id: call.toolCallId,
  type: 'function',
  function: { name: call.toolName, arguments: call.input === '' ? '{}' : call.input },
  ...(!strict && callExtras(call.providerMetadata)),
});

function extrasOf(content: LanguageModelV4Content[]): Fields {
  const citations = content.flatMap((part) => (part.type === 'source' ? [citationOf(part)] : []));
  return {
    content_blocks: content.flatMap((part) => blockOf(part) ?? []),
    ...(citations.length > 0 && { citations }),
  };
}
