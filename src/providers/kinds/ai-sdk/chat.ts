import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { jsonAnswer } from '../../answer.ts';
import type { DialectAnswer, DialectRequest } from '../../provider.ts';
import { ChunkWriter } from './answer/chunk-writer.ts';
import { type AnswerNaming, completionOf } from './answer/completion.ts';
import { CutOff, Reported, UnreadableAnswer } from './answer/errors.ts';
import { failureOf } from './answer/failure.ts';
import { passedOn } from './answer/headers.ts';
import { type DialectCall, dialectOf, type SdkProvider } from './dialect.ts';
import type { Fields } from './fields.ts';
import { callOptionsOf } from './request/call-options.ts';

/** How a finished or a growing chat completion is shown to the caller. */
export type View = {
  whole(completion: Fields): Fields;
  /** Null for a chunk that says nothing in this format. */
  chunk(chunk: Fields): Fields | null;
};

const asItIs: View = { whole: (completion) => completion, chunk: (chunk) => chunk };

export const chatDialect = (vendor: SdkProvider) =>
  dialectOf(vendor, (call) => chat(vendor, call, call.body, asItIs));

/** Asks the model `body`, a chat completion request. */
export async function chat(
  vendor: SdkProvider,
  call: DialectCall,
  body: Fields,
  view: View,
): Promise<DialectAnswer> {
  const { request, connection, model, headers } = call;
  const common = callOptionsOf(body);
  const options = {
    ...common,
    ...(await vendor.chatOptions?.(body, model, common, request)),
    abortSignal: request.signal,
    headers,
  };
  const languageModel = await vendor.chat(connection, model);
  const naming = { provider: vendor.id, model, strict: request.strict };
  if (body.stream === true) return streamed(languageModel, options, naming, request, view);
  const result = await languageModel.doGenerate(options);
  return jsonAnswer({
    headers: passedOn(result.response?.headers),
    value: view.whole(completionOf(result, naming)),
  });
}

async function streamed(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  naming: AnswerNaming,
  request: DialectRequest,
  view: View,
): Promise<DialectAnswer> {
  const { stream, response } = await model.doStream(options);
  const reader = stream.getReader();
  const writer = new ChunkWriter(naming);
  // Until there is something to say, a failure is an answer of its own: the call can still be tried elsewhere.
  const first = await firstChunks(reader, writer);
  return {
    status: 200,
    headers: {
      ...passedOn(response?.headers),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    },
    body: frames(first, reader, writer, { naming, request, view }),
  };
}

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

async function firstChunks(reader: Reader, writer: ChunkWriter): Promise<Fields[]> {
  try {
    for (;;) {
      const chunks = await nextChunks(reader, writer);
      if (chunks.length > 0 || writer.done) return chunks;
    }
  } catch (error) {
    void reader.cancel().catch(ignore);
    throw error;
  }
}

async function nextChunks(reader: Reader, writer: ChunkWriter): Promise<Fields[]> {
  const { done, value } = await reader.read();
  if (done) throw new CutOff();
  return writer.chunks(value);
}

async function* frames(
  first: Fields[],
  reader: Reader,
  writer: ChunkWriter,
  { naming, request, view }: { naming: AnswerNaming; request: DialectRequest; view: View },
): AsyncGenerator<Buffer> {
  try {
    let chunks = first;
    for (;;) {
      const shown = chunks.flatMap((chunk) => view.chunk(chunk) ?? []);
      if (shown.length > 0) yield Buffer.from(shown.map(frame).join(''));
      if (writer.done) break;
      chunks = await nextChunks(reader, writer);
    }
    yield Buffer.from('data: [DONE]\n\n');
  } catch (error) {
    if (!isSaid(error)) throw error;
    yield Buffer.from(frame(failureOf(error, naming.provider, request, true).body));
  } finally {
    void (writer.done ? drain(reader) : reader.cancel()).catch(ignore);
  }
}

/** Reads what a provider sends after its last word, mostly nothing, so that its connection can be used again. */
async function drain(reader: Reader): Promise<void> {
  for (let part = 0; part < 16; part++) {
    if ((await reader.read()).done) return;
  }
  await reader.cancel();
}

/** What the provider says is said in the stream, which then ends without its `[DONE]`; a break is no end at all. */
const isSaid = (error: unknown): boolean =>
  error instanceof Reported || (error instanceof UnreadableAnswer && !(error instanceof CutOff));

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** What is left of a stream that nobody reads any more concerns nobody. */
const ignore = (): void => {};
