import type { Ingress } from '../../translation.ts';
import { messagesError } from '../errors.ts';
import { messagesAnswer } from './answer.ts';
import { messagesRequest } from './request.ts';
import { messagesStream } from './stream.ts';

/** Anthropic's `/v1/messages`. */
export const messages: Ingress = {
  request: messagesRequest,
  answer: messagesAnswer,
  stream: messagesStream,
  error: messagesError,
};
