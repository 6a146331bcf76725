import type { Translation } from '../../../formats/over-chat/translation.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isEventStream } from '../../answer/relay.ts';
import type { Send, UpstreamControl, UpstreamSink } from '../../send/upstream.ts';
import type { SendLayer } from './send-layer.ts';
import { eventAnswer } from './translated-events.ts';
import { wholeAnswer } from './translated-whole.ts';

/** Gives the answer in the caller's format where the request was translated from it. */
export const translate: SendLayer = (send, { translated }) =>
  translated?.from.value ? translatedSend(send, translated.translation, translated.from.value) : send;

/** Sends a request that was made of `request`, the caller's body, and gives the answer in the caller's format. */
export const translatedSend =
  (send: Send, translation: Translation, request: JsonObject): Send =>
  (upstream, sink) => {
    let control: UpstreamControl | null = null;
    let answer: UpstreamSink | null = null;
    const stop = () => control?.abort('aborted');
    control = send(upstream, {
      opening: () => sink.opening?.(),
      head(status, headers) {
        const isStream = status >= 200 && status < 300 && isEventStream(headers);
        answer = (isStream ? eventAnswer : wholeAnswer)(translation, request, sink, stop);
        return answer.head(status, headers);
      },
      data: (chunk) => answer?.data(chunk) ?? true,
      end: () => (answer ?? sink).end(),
      fail: (failure, cause) => (answer ?? sink).fail(failure, cause),
    });
    return control;
  };
