import type { CallerTranslation } from '../../over-chat/translation.ts';
import { messagesErrorBody } from '../errors.ts';
import { messagesAnswer } from './answer.ts';
import { messagesRequest } from './request.ts';
import { messagesStream } from './stream.ts';

/** Anthropic's `/v1/messages`. */
export const messagesOverChat: CallerTranslation = {
  request: messagesRequest,
  answer: messagesAnswer,
  stream: messagesStream,
  error: messagesErrorBody,
};
