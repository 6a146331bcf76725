import { formatEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import { statusOfError } from '../stream/error-status.ts';
import type { StreamFormat } from '../stream/stream-format.ts';
import { openAiError } from './errors.ts';

/** The data of the last event of a stream. */
export const DONE = '[DONE]';
export const doneEvent = formatEvent(null, DONE);

const done = /(?:^|[\r\n])data: ?\[DONE\]/;
const error = /(?:^|[\r\n])(?:event: ?error|data: ?\{\s*"error")|"finish_reason"\s*:\s*"error"/;
// Quotes inside a JSON text are escaped: these can only be members.
const finish = /"finish_reason"\s*:\s*"/;
const choices = /"choices"\s*:/;

/** OpenAI's chat and text completions. */
export const chatStreamFormat: StreamFormat = {
  kindOf(name, data) {
    if (data === DONE) return 'content';
    const payload = parsedObject(data);
    if (!payload) return 'content';
    if (payload.error || payload.object === 'error' || name === 'error') {
      return { status: statusOfError(payload), payload };
    }
    return Array.isArray(payload.choices) && payload.choices.every(saysNothing) ? 'opening' : 'content';
  },
  endingOf(tail) {
    if (error.test(tail)) return 'error';
    if (done.test(tail) || finish.test(tail)) return 'complete';
    return choices.test(tail) ? 'cut' : 'foreign';
  },
  failure: ({ message, type, code }) =>
    formatEvent(null, JSON.stringify({ error: openAiError(message, type, { code }) })),
};

/** The role alone, or an empty piece: some providers send it before they begin to work. */
function saysNothing(choice: unknown): boolean {
  if (!isObject(choice) || choice.finish_reason || choice.text) return false;
  return !isObject(choice.delta) || isEmptyDelta(choice.delta);
}

const isEmptyDelta = (delta: JsonObject): boolean =>
  Object.entries(delta).every(
    ([name, value]) => name === 'role' || !value || (Array.isArray(value) && value.length === 0),
  );
