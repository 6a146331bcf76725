import type { Ingress } from '../ingress.ts';
import { messagesAnswer } from './answer.ts';
import { messagesError } from './error.ts';
import { messagesRequest } from './request.ts';
import { messagesStream } from './stream.ts';

/** Anthropic's `/v1/messages`. */
export const messages: Ingress = {
  request: messagesRequest,
  answer: messagesAnswer,
  stream: messagesStream,
  error: messagesError,
};
