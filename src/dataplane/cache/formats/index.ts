import type { Endpoint } from '../../../providers/index.ts';
import { chatFormat } from './chat.ts';
import { completionFormat } from './completion.ts';
import type { Format } from './format.ts';
import { messagesFormat } from './messages.ts';
import { responsesFormat } from './responses.ts';

export type { Format, Json } from './format.ts';

/** Endpoints whose answers come as a whole or as a stream. */
export const formats: Partial<Record<Endpoint, Format>> = {
  chatComplete: chatFormat,
  complete: completionFormat,
  messages: messagesFormat,
  createResponse: responsesFormat,
};
