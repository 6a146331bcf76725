import type { ProviderTranslation } from '../../over-chat/translation.ts';
import { chatAnswer } from './answer.ts';
import { responseRequest } from './request.ts';
import { chatChunk } from './stream.ts';

/** Chat on top of OpenAI's `/v1/responses`, for models that do more there than in chat completions. */
export const chatOverResponses: ProviderTranslation = {
  request: responseRequest,
  answer: chatAnswer,
  chunk: chatChunk,
};
