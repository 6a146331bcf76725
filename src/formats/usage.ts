import { chatUsage } from './chat-completions/usage.ts';
import { cohereUsage } from './cohere/usage.ts';
import { converseUsage } from './converse/usage.ts';
import { geminiUsage } from './gemini/usage.ts';
import { messagesUsage } from './messages/usage.ts';
import { mistralOcrUsage } from './mistral-ocr/usage.ts';
import { responsesUsage } from './responses/usage.ts';
import type { UsageReader } from './usage/reader.ts';

/**
 * The ways in which answers report token counts. They go by the report and not by the endpoint, since providers also report
 * in formats that no caller uses. The first reader that matches a report reads it: one that matches fewer reports stands
 * before one that matches more. They stand apart from `index.ts` because the thread of the request log needs nothing else.
 */
export const usageReaders: readonly UsageReader[] = [
  cohereUsage,
  geminiUsage,
  converseUsage,
  chatUsage,
  responsesUsage,
  messagesUsage,
  mistralOcrUsage,
];
