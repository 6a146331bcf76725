/** A credential and the settings that travel with it, from the catalogue, a config target or the request's headers. */
export type ProviderCredential = {
  key: string | null;
  openaiOrganization?: string;
  openaiProject?: string;
};

/** What an in-process provider is asked. */
export type LocalRequest = {
  method: string;
  /** Below the version path, e.g. `/chat/completions`. */
  path: string;
  body: unknown;
  signal: AbortSignal;
};

export type LocalResponse = {
  status: number;
  headers: Record<string, string>;
  body: Buffer | AsyncIterable<Buffer>;
};

/** A kind of model provider: where it is and how it wants to be addressed. The pipeline knows nothing else of it. */
export type Provider = {
  id: string;
  /** Base of its API, version path included; null when the caller must name a host. */
  baseUrl: string | null;
  /** Sets the provider's own authentication headers; names are lower case. */
  authorize(headers: Record<string, string | string[]>, credential: ProviderCredential): void;
  /** Models that exist whatever the account, for the catalogue. */
  models?: readonly string[];
  /** Answers in this process instead of over HTTP. */
  respond?(request: LocalRequest): Promise<LocalResponse>;
};
