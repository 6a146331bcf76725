import type { CallerTranslation } from '../../over-chat/translation.ts';
import { responsesErrorBody } from '../errors.ts';
import { responsesAnswer } from './answer.ts';
import { responsesRequest } from './request.ts';
import { responsesStream } from './stream.ts';

/** OpenAI's `/v1/responses`. */
export const responsesOverChat: CallerTranslation = {
  request: responsesRequest,
  answer: responsesAnswer,
  stream: responsesStream,
  error: responsesErrorBody,
};
