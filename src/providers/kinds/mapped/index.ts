import { invalidInput } from '../../../errors/index.ts';
import { providerErrorBody } from '../../../formats/chat-completions/errors.ts';
import { isObject } from '../../../lib/json.ts';
import { jsonAnswer } from '../../answer.ts';
import type { Dialect } from '../../provider.ts';
import { ask, type Content, isSuccess, type Manner, parsed, whole } from '../openai-compatible/ask.ts';
import type { MappedFields } from './parameters.ts';

/** Bytes of an answer, images included. */
const MAX_ANSWER = 64 * 1024 * 1024;

/** An answer to translate. */
export type Reply = {
  /** Its JSON; empty where it has none. */
  json: MappedFields;
  type: string;
  bytes: Buffer;
};

/** One endpoint in a provider's own words, without streams. */
export type Mapping = {
  /** Below the base. */
  path(model: string, body: MappedFields): string;
  /** A form goes as one, anything else as JSON. Throws a GatewayError for what cannot be said. */
  request(body: MappedFields, model: string): MappedFields | FormData;
  /** Null where the answer is of no known form. */
  answer(reply: Reply, body: MappedFields, model: string): MappedFields | null;
};

/** Code that asks a provider by a mapping and answers in OpenAI's format, errors included. */
export const mapped =
  (provider: string, authorize: Manner['authorize'], { path, request: said, answer }: Mapping): Dialect =>
  async (request) => {
    const { body, model } = request;
    if (body === null) throw invalidInput('body', 'The request needs a JSON object as its body.');
    if (model === null || model === '') throw invalidInput('model', 'model is required.');
    if (body.stream === true) throw invalidInput('stream', `The provider ${provider} streams nothing here.`);
    const asked = await ask(
      request,
      path(model, body),
      '',
      { authorize },
      await contentOf(said(body, model)),
    );
    const bytes = await whole(asked, MAX_ANSWER);
    const json = parsed(bytes);
    const reply = { json: isObject(json) ? json : {}, type: asked.headers['content-type'] ?? '', bytes };
    const headers = { ...asked.headers };
    delete headers['content-type'];
    if (!isSuccess(asked))
      return jsonAnswer({ status: asked.status, headers, value: errorOf(reply, provider) });
    const translated = answer(reply, body, model);
    return translated
      ? jsonAnswer({ status: asked.status, headers, value: translated })
      : jsonAnswer({ status: UNREADABLE, headers, value: unreadable(provider) });
  };

/** Of an answer that cannot be read: a failure of the provider like any other, so that another target may be asked. */
const UNREADABLE = 502;

const unreadable = (provider: string): MappedFields =>
  providerErrorBody(provider, `The provider ${provider} answered in a form that is not known.`, 'api_error');

async function contentOf(said: MappedFields | FormData): Promise<Content> {
  if (!(said instanceof FormData))
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(said)) };
  const form = new Response(said);
  return { type: form.headers.get('content-type') ?? '', bytes: Buffer.from(await form.arrayBuffer()) };
}

const MAX_MESSAGE = 2000;

/** What the provider says of an error, wherever it says it. */
function errorOf({ json, bytes }: Reply, provider: string): MappedFields {
  const { error, errors, detail, message } = json;
  const told = [
    isObject(error) ? error.message : error,
    message,
    detail,
    Array.isArray(errors) ? errors[0] : errors,
  ];
  const found = told
    .map((each) => (isObject(each) ? each.message : each))
    .find((each) => typeof each === 'string');
  const text = String(found ?? bytes.toString('utf8', 0, MAX_MESSAGE)).slice(0, MAX_MESSAGE);
  return providerErrorBody(provider, `${provider} error: ${text}`, null);
}

/** What a list of vectors is in OpenAI's format. */
export const embeddingsOf = (vectors: unknown, model: string, usage: unknown): MappedFields | null =>
  Array.isArray(vectors)
    ? {
        object: 'list',
        data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
        model,
        usage,
      }
    : null;

/** A text in the shape of OpenAI's text completions. */
export const completionOf = (
  provider: string,
  text: unknown,
  model: string,
  more: MappedFields = {},
): MappedFields | null =>
  typeof text === 'string'
    ? {
        id: `${provider}-${Date.now()}`,
        object: 'text_completion',
        created: Math.floor(Date.now() / 1000),
        model,
        choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
        ...more,
      }
    : null;

/** Images in base64 in the shape of OpenAI's. */
export const imagesOf = (images: unknown[]): MappedFields | null =>
  images.length > 0 && images.every((image) => typeof image === 'string')
    ? { created: Math.floor(Date.now() / 1000), data: images.map((image) => ({ b64_json: image })) }
    : null;
