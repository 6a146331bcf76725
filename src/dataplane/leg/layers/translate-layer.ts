import type { SendLayer } from './send-layer.ts';
import { translatedSend } from './translated-send.ts';

/** Gives the answer in the caller's format where the request was translated from it. */
export const translate: SendLayer = (send, { translated }) =>
  translated?.from.value ? translatedSend(send, translated.translation, translated.from.value) : send;
