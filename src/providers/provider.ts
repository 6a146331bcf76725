import type { Endpoint } from './endpoint.ts';
import type { OwnIdentity } from './identity.ts';
import type { ProviderSettings, Setting } from './setting.ts';

/** A credential and the settings that travel with it, from the catalogue, a config target or the request's headers. */
export type ProviderCredential = {
  key: string | null;
  settings: ProviderSettings;
  /** The gateway's own identity, where this call may show it. */
  identity?: OwnIdentity | null;
};

type Fetch = typeof fetch;

export type ProviderHeaders = Record<string, string | string[]>;

/** Where an API begins: `https://api.openai.com` and `/v1`. */
export type BaseUrl = { origin: string; path: string };

/** What a path at a provider may follow from. */
export type Place = {
  endpoint: Endpoint;
  /** At a provider that speaks the gateway's format, e.g. `/chat/completions`. */
  path: string;
  /** Of the body, without a `@slug/`. */
  model: string | null;
  settings: ProviderSettings;
  /** Path of the base URL, be it the provider's own or a custom host's; empty for none. */
  basePath: string;
};

/** A request on its way to a provider, when all that is missing is who asks. */
export type UnsignedRequest = {
  method: string;
  origin: string;
  /** Path and query; a provider that takes its key there may change it. */
  path: string;
  /** Names are lower case. */
  headers: ProviderHeaders;
  /** Null when there is none, or when it is a stream. */
  body: Buffer | null;
  /** What is passed on as it comes nobody can sign. */
  isStream?: boolean;
};

/** What a provider's own code is asked, in the gateway's format, where the provider speaks another one. */
export type DialectRequest = {
  endpoint: Endpoint;
  method: string;
  /** Below the version path, e.g. `/chat/completions`. */
  path: string;
  /** As the caller wrote it, without the question mark. */
  query: string;
  /** The JSON body after the config's parameters; null when there is none. */
  body: Record<string, unknown> | null;
  /** Of the body, without a `@slug/`. */
  model: string | null;
  base: BaseUrl | null;
  credential: ProviderCredential;
  /** Further headers for the provider: the integration's own, and those that the config or the request forwards. */
  headers: ProviderHeaders;
  /** What the call is logged with. */
  metadata: Readonly<Record<string, string>>;
  /** False shows what the provider says beyond OpenAI's format; the header `strict-open-ai-compliance` decides. */
  strict: boolean;
  /** Goes out through the gateway's connections, with its checks of addresses. */
  fetch: typeof fetch;
  /** The same for the question itself, of which the request log keeps a copy: never for credentials. */
  ask: typeof fetch;
  signal: AbortSignal;
};

/** An answer in the gateway's format, errors included. */
export type DialectAnswer = {
  status: number;
  headers: Record<string, string>;
  body: Buffer | AsyncIterable<Buffer>;
};

/**
 * Answers one endpoint of a provider with a format of its own. Rejects only when there is no answer at all; a provider's
 * error is an answer with its status.
 */
export type Dialect = (request: DialectRequest) => Promise<DialectAnswer>;

/**
 * What the gateway must know of an API of the provider's own, whose requests it passes on as they are (`/v1/proxy/…`). Of
 * OpenAI's format and of Anthropic's messages it knows all this by itself.
 */
export type NativeApi = {
  /**
   * Forms of a path that names a model, each with one group, which is the name. They are looked for anywhere in a path, in
   * upper and lower case. The models that an integration allows, the log and its price rest on them.
   */
  modelPaths?: readonly RegExp[];
  /**
   * Forms of a path that asks a model and creates nothing, so that its answer may be another call's. The place where the
   * API begins, such as `/v1`, is taken off before.
   */
  cacheablePaths?: readonly RegExp[];
  /** Parameters of a query that name a model, beside `model`; lower case. */
  modelParameters?: readonly string[];
  /** Members of a body, at any depth, with data of the caller's own: a member `model` in them names no model. */
  dataMembers?: readonly string[];
  /**
   * It has models in places that none of the above describes. Where only some models are allowed, a request with a body is
   * refused unless its path names one.
   */
  hidesModels?: true;
  /** Milliseconds that the body of an error asks to wait; null where it does not say. */
  retryAfter?(error: unknown): number | null;
};

/** A kind of model provider: where it is, how it wants to be addressed, what it can do. The pipeline knows nothing else of it. */
export type Provider = {
  id: string;
  /** Base of its API, version path included, or how it follows from the settings; null when the caller must name a host. */
  baseUrl: string | null | ((settings: ProviderSettings) => string | null);
  settings: Readonly<Record<string, Setting>>;
  /** Sets of settings that stand for a credential in a config; `[[]]` where it needs none. */
  sufficientSettings?: readonly (readonly string[])[];
  /** What it takes in the gateway's own format, at the gateway's own paths. */
  endpoints: ReadonlySet<Endpoint>;
  /** What it takes in a format of its own: the code that translates, loaded when it is first needed. */
  dialects?: Partial<Record<Endpoint, () => Promise<Dialect>>>;
  /** Whether a model of its own has not one of these endpoints, though others have. */
  lacks?(endpoint: Endpoint, model: string): boolean;
  /** Takes `stream_options.include_usage` on chat and text completions. */
  streamUsage?: boolean;
  /** Headers of the caller that go to it on the routes whose format the gateway knows; lower case. */
  callerHeaders?: readonly string[];
  /** Path at the provider, below its base, where it is not the gateway's. Throws a GatewayError for what has no place there. */
  pathOf?(place: Place): string;
  /**
   * Adds the provider's own authentication to a request. Waits only for a signature or a token, which it asks for through
   * `fetch`, the gateway's connections.
   */
  authorize(request: UnsignedRequest, credential: ProviderCredential, fetch: Fetch): void | Promise<void>;
  /** The known model whose price a call has that asks for a name of the account's own; absent where the settings do not say. */
  pricedAs?(settings: ProviderSettings, model: string | null): string | undefined;
  /** The name that goes to the provider for a model that a call asks for under another one. */
  sentModel?(model: string | null, settings: ProviderSettings): string | null;
  /** Name of the provider in the price catalogue; absent where that has no prices of it. */
  priceName?: string;
  /** Stated by every provider that is not asked in OpenAI's format alone. */
  nativeApi?: NativeApi;
  /** Headers by which a request chooses among its models, in lower case, each with the setting that it is sent for. */
  modelHeaders?: Readonly<Record<string, string>>;
  /** Beginnings of its models' names that are no slugs where a call names this kind of provider, e.g. `@cf`. */
  modelScopes?: readonly string[];
  /** Beginnings by which its own API names models as resources, e.g. `models/`. */
  modelKinds?: readonly string[];
  /** Models that exist whatever the account, for the catalogue. */
  models?: readonly string[];
  /** Answers everything in this process instead of over HTTP. */
  respond?: Dialect;
};
