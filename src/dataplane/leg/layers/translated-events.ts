import { DONE } from '../../../formats/chat-completions/stream.ts';
import type {
  ProviderTranslation,
  TranslatedStream,
  Translation,
} from '../../../formats/over-chat/translation.ts';
import { createEventReader, EventTooLargeError } from '../../../lib/event-stream/index.ts';
import { type JsonObject, parsedObject } from '../../../lib/json.ts';
import type { UpstreamSink } from '../../send/upstream.ts';
import { withoutBody } from './translated-whole.ts';

/** Turns the events of a chat stream into the caller's events. What a chunk of the stream completes goes on at once. */
export function eventAnswer(
  { callerSide, providerSide }: Translation,
  request: JsonObject,
  sink: UpstreamSink,
  stop: () => void,
): UpstreamSink {
  const stream = callerSide.stream(request);
  let text = '';
  let isWanted = false;
  let isDone = false;
  let isOver = false;

  const reader = createEventReader(({ data }) => {
    if (isDone) return;
    isDone = data.trim() === DONE;
    text += isDone ? stream.end() : readChunk(stream, providerSide, data);
  });

  /** The text that was written since the last call. */
  function taken(): Buffer {
    const bytes = Buffer.from(text);
    text = '';
    return bytes;
  }

  function breakOff(message: string): void {
    isOver = true;
    text += stream.fail(message);
    sink.fail('transport', new Error(message), taken());
  }

  return {
    head(status, headers) {
      isWanted = sink.head(status, { ...withoutBody(headers), 'content-type': 'text/event-stream' });
      return isWanted;
    },
    data(chunk) {
      if (isOver) return true;
      try {
        reader.feed(chunk);
      } catch (thrown) {
        if (!(thrown instanceof EventTooLargeError)) throw thrown;
        text += stream.fail(thrown.message);
      }
      if (stream.failure !== null) {
        breakOff(stream.failure);
        stop();
        return true;
      }
      return text === '' || sink.data(taken());
    },
    end() {
      if (isOver) return;
      if (!isWanted) return sink.end();
      if (!isDone && !stream.isFinished)
        return breakOff('The provider ended the stream in the middle of its answer.');
      isOver = true;
      text += stream.end();
      if (text !== '') sink.data(taken());
      sink.end();
    },
    fail(failure, cause) {
      if (isOver) return;
      isOver = true;
      // The answer was complete before the connection failed.
      if (isDone) return sink.end();
      text += stream.fail('The connection to the provider broke off.');
      sink.fail(failure, cause, failure === 'aborted' ? undefined : taken());
    },
  };
}

function readChunk(stream: TranslatedStream, providerSide: ProviderTranslation | null, data: string): string {
  const event = parsedObject(data);
  if (!event) return stream.fail('The provider sent an event that is no JSON object.');
  const chat = providerSide ? providerSide.chunk(event) : event;
  return chat === null ? '' : stream.chunk(chat);
}
