import type { Endpoint } from '../providers/index.ts';
import { chatFormat } from './chat-completions/whole.ts';
import { completionFormat } from './completions/whole.ts';
import { messagesFormat } from './messages/whole.ts';
import { responsesFormat } from './responses/whole.ts';
import type { Format } from './whole.ts';

export type { Format, Json } from './whole.ts';

/** Endpoints whose answers come as a whole or as a stream. */
export const formats: Partial<Record<Endpoint, Format>> = {
  chatComplete: chatFormat,
  complete: completionFormat,
  messages: messagesFormat,
  createResponse: responsesFormat,
};
