import { errorText } from '../../../formats/chat-completions/errors.ts';
import { UntranslatableError } from '../../../formats/over-chat/blocks.ts';
import type {
  CallerTranslation,
  TranslatedStream,
  Translation,
} from '../../../formats/over-chat/translation.ts';
import { asChunk } from '../../../formats/over-chat/whole.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { UpstreamHeaders, UpstreamSink } from '../../send/upstream.ts';

/** Bytes of an answer that are collected at most. */
const MAX_BYTES = 64 * 1024 * 1024;

type Translated = { status: number; contentType: string; text: string };

/**
 * Collects an answer that is no stream and translates it as a whole. Its head waits for the body: an answer that turns out
 * to be no chat completion gets the status 502, so that another target can be tried.
 */
export function wholeAnswer(
  translation: Translation,
  request: JsonObject,
  sink: UpstreamSink,
  stop: () => void,
): UpstreamSink {
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: UpstreamHeaders = {};
  let isOver = false;

  function give({ status, contentType, text }: Translated): void {
    isOver = true;
    const bytes = Buffer.from(text);
    const about = { 'content-type': contentType, 'content-length': String(bytes.length) };
    if (sink.head(status, { ...withoutBody(headers), ...about })) sink.data(bytes);
    sink.end();
  }

  return {
    head(given, fields) {
      status = given;
      headers = fields;
      sink.opening?.();
      return true;
    },
    data(chunk) {
      if (isOver) return true;
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BYTES) {
        give(refusal(translation.callerSide, `The provider's answer is larger than ${MAX_BYTES} bytes.`));
        stop();
      }
      return true;
    },
    end() {
      if (!isOver) give(translated(translation, request, status, bodyOf(chunks, headers)));
    },
    fail(failure, cause) {
      if (!isOver) sink.fail(failure, cause);
      isOver = true;
    },
  };
}

function translated(
  { callerSide, providerSide }: Translation,
  request: JsonObject,
  status: number,
  body: unknown,
): Translated {
  try {
    if (status < 200 || status > 299) return json(status, callerSide.error(status, body));
    const chat = providerSide && isObject(body) ? providerSide.answer(body) : body;
    if (!isObject(chat) || !Array.isArray(chat.choices)) return refusal(callerSide, reasonOf(chat));
    if (request.stream !== true) return json(status, callerSide.answer(chat, request));
    return asStream(callerSide.stream(request), status, chat);
  } catch (thrown) {
    if (thrown instanceof UntranslatableError) return refusal(callerSide, thrown.message);
    if (thrown instanceof RangeError)
      return refusal(callerSide, "The provider's answer is nested too deeply.");
    throw thrown;
  }
}

/** The answer of a provider that did not stream, for a caller who asked for a stream. */
function asStream(stream: TranslatedStream, status: number, chat: JsonObject): Translated {
  const text = stream.chunk(asChunk(chat)) + stream.end();
  if (stream.failure !== null) throw new UntranslatableError(stream.failure);
  return { status, contentType: 'text/event-stream', text };
}

const json = (status: number, body: JsonObject): Translated => ({
  status,
  contentType: 'application/json',
  text: JSON.stringify(body),
});

const refusal = (callerSide: CallerTranslation, message: string): Translated =>
  json(502, callerSide.error(502, { error: { message } }));

const reasonOf = (body: unknown): string =>
  (isObject(body) ? errorText(body) : null) ??
  'The provider answered with something that is no chat completion.';

/** The value of a JSON body, or its text. A compressed one was not asked for and is not read. */
function bodyOf(chunks: Buffer[], headers: UpstreamHeaders): unknown {
  if (headers['content-encoding'] !== undefined) return '';
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const aboutBody = new Set(['content-type', 'content-length', 'content-encoding']);

/** Headers of an answer without those that describe the body it had. */
export const withoutBody = (headers: UpstreamHeaders): UpstreamHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !aboutBody.has(name)));
