import { formatEvent } from '../../lib/event-stream/index.ts';
import { parsedObject } from '../../lib/json.ts';
import { errorIn, statusOfError } from '../stream/error-status.ts';
import type { StreamFormat } from '../stream/stream-format.ts';

const openings = new Set<unknown>([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'keepalive',
]);
const end = /"type"\s*:\s*"response\.(?:completed|incomplete)"/;
const error = /(?:^|[\r\n])event: ?(?:error|response\.failed)|"type"\s*:\s*"response\.failed"/;
const own = /"type"\s*:\s*"response\./;
const line = /[\r\n](?:event|data):/;

/** OpenAI's responses. */
export const responsesStreamFormat: StreamFormat = {
  kindOf(name, data) {
    const payload = parsedObject(data);
    if (!payload) return 'content';
    const type = payload.type ?? name;
    if (type === 'error' || type === 'response.failed' || payload.error) {
      // Of a response that failed its error is what matters.
      const said = payload.response ? { error: errorIn(payload) } : payload;
      return { status: statusOfError(payload), payload: said };
    }
    return openings.has(type) ? 'opening' : 'content';
  },
  endingOf(tail) {
    if (error.test(tail)) return 'error';
    if (end.test(tail)) return 'complete';
    if (own.test(tail)) return 'cut';
    // The last event repeats the whole response: one that is longer than the tail has its name in front of it.
    return line.test(tail) ? 'foreign' : 'complete';
  },
  failure: ({ message, code }, tail) =>
    formatEvent(
      'error',
      JSON.stringify({ type: 'error', code, message, param: null, sequence_number: lastNumber(tail) + 1 }),
    ),
};

const lastNumber = (tail: string): number =>
  Number([...tail.matchAll(/"sequence_number"\s*:\s*(\d{1,9})/g)].at(-1)?.[1] ?? -1);
