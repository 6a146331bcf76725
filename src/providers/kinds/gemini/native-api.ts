import { isObject } from '../../../lib/json.ts';
import type { NativeApi } from '../../provider.ts';

/**
 * What Google's APIs with Gemini have in common: `/models/<model>:generateContent` and its siblings, below whatever place
 * the models have, and errors that say in the body how long to wait.
 */
export const geminiApi = {
  modelPaths: [/\/(?:tuned)?models\/([^/:?]+):\w/],
  cacheablePaths: [
    /\/(?:models|tunedModels|endpoints)\/[^/]+:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens|predict|rawPredict)$/,
  ],
  dataMembers: ['contents', 'systemInstruction', 'system_instruction'],
  retryAfter: (error) =>
    isObject(error) && isObject(error.error) ? retryDelayIn(error.error.details) : null,
} satisfies NativeApi;

/** Milliseconds that a `RetryInfo` among the details of an error asks to wait; null when there is none. */
export function retryDelayIn(details: unknown): number | null {
  for (const detail of Array.isArray(details) ? details : []) {
    const seconds = isObject(detail)
      ? /^([\d.]{1,12})s$/.exec(String(detail.retryDelay ?? ''))?.[1]
      : undefined;
    if (seconds === undefined) continue;
    const wait = Number(seconds) * 1000;
    return Number.isFinite(wait) ? wait : null;
  }
  return null;
}
