import { isEventStream } from '../relay.ts';
import type { OutgoingBody } from '../request-body.ts';
import type { Send, UpstreamControl, UpstreamSink } from '../upstream/upstream.ts';
import { eventAnswer } from './event-answer.ts';
import { type Fields, jsonAt } from './fields.ts';
import type { Ingress } from './ingress.ts';
import { wholeAnswer } from './whole-answer.ts';

/** The chat request that says what `request`, the caller's body, says. */
export function chatBody(ingress: Ingress, request: Fields): OutgoingBody {
  const value = ingress.request(request);
  return { content: Buffer.from(jsonAt(value, 'body')), value, changed: true, growth: 0 };
}

/** Sends a chat request that was made of `request`, the caller's body, and gives the answer in the caller's format. */
export const throughChat =
  (send: Send, ingress: Ingress, request: Fields): Send =>
  (chatRequest, sink) => {
    let control: UpstreamControl | null = null;
    let answer: UpstreamSink | null = null;
    const stop = () => control?.abort('aborted');
    control = send(chatRequest, {
      head(status, headers) {
        const isStream = status >= 200 && status < 300 && isEventStream(headers);
        answer = (isStream ? eventAnswer : wholeAnswer)(ingress, request, sink, stop);
        return answer.head(status, headers);
      },
      data: (chunk) => answer?.data(chunk) ?? true,
      end: () => (answer ?? sink).end(),
      fail: (failure, cause) => (answer ?? sink).fail(failure, cause),
    });
    return control;
  };
