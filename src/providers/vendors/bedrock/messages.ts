import { isObject } from '../../../lib/json.ts';
import { joinBetas } from '../../credentials/anthropic.ts';
import { UnreadableAnswer } from '../../kinds/ai-sdk/answer/errors.ts';
import { isText } from '../../kinds/ai-sdk/fields.ts';
import { type Hosting, hostedMessages } from '../../kinds/claude/hosted-messages.ts';
import { authorize } from './authorize.ts';
import { type EventFrame, framesOf } from './event-frames.ts';

const VERSION = 'bedrock-2023-05-31';

const hosting: Hosting = {
  url: ({ connection, model }, isStreamed) =>
    `${connection.baseUrl}/model/${encodeURIComponent(model)}/${isStreamed ? 'invoke-with-response-stream' : 'invoke'}`,
  members({ request: { headers, credential } }) {
    const betas = joinBetas(headers['anthropic-beta'], credential.settings.anthropic_beta);
    return { anthropic_version: VERSION, ...(betas !== '' && { anthropic_beta: betas.split(',') }) };
  },
  async *events(body) {
    for await (const frame of framesOf(body)) yield Buffer.from(eventOf(frame));
  },
};

export const messages = hostedMessages({ id: 'bedrock', authorize }, hosting);

/** Each frame holds one of Claude's events in base64, or an exception of Amazon's. */
function eventOf({ headers, payload }: EventFrame): string {
  const exception = headers[':exception-type'];
  const carried = parse(payload);
  if (exception !== undefined) {
    const message = isText(carried.message) ? carried.message : exception;
    return sse('error', JSON.stringify({ type: 'error', error: { type: errorType(exception), message } }));
  }
  if (!isText(carried.bytes)) throw new UnreadableAnswer('a frame of the stream carries no event');
  const event = Buffer.from(carried.bytes, 'base64');
  return sse(String(parse(event).type), event.toString('utf8'));
}

function parse(text: Buffer) {
  const value: unknown = JSON.parse(text.toString('utf8'));
  return isObject(value) ? value : {};
}

const sse = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;

function errorType(exception: string): string {
  if (/throttling/i.test(exception)) return 'rate_limit_error';
  return /validation/i.test(exception) ? 'invalid_request_error' : 'api_error';
}
