import { formatEvent } from '../../lib/event-stream/index.ts';
import { parsedObject } from '../../lib/json.ts';
import { openAiError } from '../chat-completions/errors.ts';
import { statusOfError } from '../stream/error-status.ts';
import type { StreamFormat } from '../stream/stream-format.ts';

const error = /(?:^|[\r\n])(?:event: ?error|data: ?\{\s*"error")/;

/** Streams of images, speech and transcriptions: of these only errors are known, and none promises how it ends. */
export const otherStreamFormat: StreamFormat = {
  kindOf(name, data) {
    const payload = parsedObject(data);
    if (payload && (payload.error || payload.type === 'error' || name === 'error')) {
      return { status: statusOfError(payload), payload };
    }
    return 'content';
  },
  endingOf: (tail) => (error.test(tail) ? 'error' : 'complete'),
  failure: ({ message, type, code }) =>
    formatEvent('error', JSON.stringify({ type: 'error', error: openAiError(message, type, { code }) })),
};
