import { formatEvent } from '../../lib/event-stream/index.ts';
import { parsedObject } from '../../lib/json.ts';
import { statusOfError } from '../stream/error-status.ts';
import type { StreamFormat } from '../stream/stream-format.ts';
import { messagesErrorBody } from './errors.ts';

const openings = new Set<unknown>(['message_start', 'content_block_start', 'ping']);
const end = /"type"\s*:\s*"message_stop"|"stop_reason"\s*:\s*"/;
const error = /(?:^|[\r\n])event: ?error/;
const own = /"type"\s*:\s*"(?:message|content_block)_/;

/** The event that ends a stream which breaks off. */
export const errorEvent = (message: string): string =>
  formatEvent('error', JSON.stringify(messagesErrorBody(500, { error: { message } })));

/** Anthropic's messages. */
export const messagesStreamFormat: StreamFormat = {
  kindOf(name, data) {
    const payload = parsedObject(data);
    if (!payload) return 'content';
    const type = payload.type ?? name;
    if (type === 'error' || payload.error) return { status: statusOfError(payload), payload };
    return openings.has(type) ? 'opening' : 'content';
  },
  endingOf(tail) {
    if (error.test(tail)) return 'error';
    if (end.test(tail)) return 'complete';
    return own.test(tail) ? 'cut' : 'foreign';
  },
  failure: ({ message }) => errorEvent(message),
};
