import type {
  EmbeddingModelV4,
  ImageModelV4,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider';
import type {
  BaseUrl,
  Dialect,
  DialectAnswer,
  DialectRequest,
  Provider,
  ProviderCredential,
} from '../../provider.ts';
import { failureAnswer, failureOf } from './answer/failure.ts';
import { type Fields, RequestProblem } from './fields.ts';
import { addedHeaders, signedFetch, urlOf } from './signed-fetch.ts';

/** What the library needs to reach a provider for one call. */
export type SdkConnection = {
  /** Without a slash at the end. */
  baseUrl: string;
  credential: ProviderCredential;
  fetch: typeof fetch;
};

/** Names are long where they spell the place of a model, such as an ARN. */
const MAX_MODEL = 2048;
/** Some providers have the name in a path, which it must not lead out of. */
const notInPaths = /[\s?#%\\]|(?:^|\/)\.{1,2}(?:\/|$)/;

type Extra<T> = (body: Fields, model: string, request: DialectRequest) => Partial<T> | Promise<Partial<T>>;

/** A provider that the library speaks to: its models, and what a request means to this provider alone. */
export type SdkProvider = {
  id: string;
  authorize: Provider['authorize'];
  chat(connection: SdkConnection, model: string): Promise<LanguageModelV4>;
  /** Added to the options of every chat call. */
  chatOptions?(
    body: Fields,
    model: string,
    options: LanguageModelV4CallOptions,
    request: DialectRequest,
  ): Partial<LanguageModelV4CallOptions> | Promise<Partial<LanguageModelV4CallOptions>>;
  embedding?(connection: SdkConnection, model: string): Promise<EmbeddingModelV4>;
  embeddingOptions?: Extra<Parameters<EmbeddingModelV4['doEmbed']>[0]>;
  image?(connection: SdkConnection, model: string): Promise<ImageModelV4>;
  imageOptions?: Extra<Parameters<ImageModelV4['doGenerate']>[0]>;
};

/** One call of a dialect: the caller's body and how its provider is reached. */
export type DialectCall = {
  request: DialectRequest;
  connection: SdkConnection;
  body: Fields;
  model: string;
  headers: Record<string, string>;
};

/** Makes a dialect of code that answers one call with a body. */
export const dialectOf = (vendor: Named, answer: (call: DialectCall) => Promise<DialectAnswer>): Dialect =>
  guarded(vendor, (request, connection) => {
    const { body, model } = request;
    if (body === null) throw new RequestProblem('The request needs a JSON object as its body.');
    if (model === null || model === '' || model.length > MAX_MODEL || notInPaths.test(model))
      throw new RequestProblem('model must name the model to ask.', 'model');
    return answer({ request, connection, body, model, headers: addedHeaders(request.headers) });
  });

type Named = Pick<SdkProvider, 'id' | 'authorize'>;

/** Whatever `answer` throws becomes an answer, unless there is none. */
export const guarded =
  (
    vendor: Named,
    answer: (request: DialectRequest, connection: SdkConnection) => DialectAnswer | Promise<DialectAnswer>,
    furtherOrigins: (base: BaseUrl) => string[] = () => [],
  ): Dialect =>
  async (request) => {
    const { base, credential } = request;
    if (base === null) throw new Error(`The provider ${vendor.id} has no address.`);
    const { fetch, wasSent } = signedFetch(request, vendor.authorize, [base.origin, ...furtherOrigins(base)]);
    try {
      return await answer(request, { baseUrl: urlOf(base), credential, fetch });
    } catch (error) {
      return failureAnswer(failureOf(error, vendor.id, request, wasSent()));
    }
  };
