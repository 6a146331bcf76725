/** How one caller's format is spoken on top of chat completions. */
export type CallerTranslation = {
  /** The caller's body as a chat completion request; throws a GatewayError (400, param named) for what cannot be said in chat. */
  request(body: Record<string, unknown>): Record<string, unknown>;
  /** A whole chat completion as the caller's format; `request` is the caller's body. */
  answer(chat: Record<string, unknown>, request: Record<string, unknown>): Record<string, unknown>;
  /** A translation of one stream; `request` is the caller's body. */
  stream(request: Record<string, unknown>): TranslatedStream;
  /** A provider's or the gateway's error, `{error: {message, type, param, code}}` as a rule, in the caller's format. */
  error(status: number, body: unknown): Record<string, unknown>;
};

/** Turns the parsed `data:` of a chat stream into the text of the caller's events. After `end` or `fail` there are none. */
export type TranslatedStream = {
  chunk(chat: Record<string, unknown>): string;
  /** True once the provider gave the reason why it finished: what is missing then is at most the usage. */
  readonly isFinished: boolean;
  /** Why the answer broke off, once its events say that it did. */
  readonly failure: string | null;
  /** Closes what is open and says that the answer is complete. */
  end(): string;
  /** Says in the caller's format that the answer broke off. */
  fail(message: string): string;
};

/** How chat is spoken to a provider on top of another format. */
export type ProviderTranslation = {
  /** A chat request that the gateway made, in the provider's format. */
  request(chat: Record<string, unknown>): Record<string, unknown>;
  /** A whole answer as a chat completion; something else as it is. */
  answer(body: Record<string, unknown>): Record<string, unknown>;
  /** The parsed `data:` of an event as a chunk of chat; null when chat has nothing like it. */
  chunk(event: Record<string, unknown>): Record<string, unknown> | null;
};

/** How a provider is asked for a caller: in chat, or in another format over which chat is spoken. */
export type Translation = { callerSide: CallerTranslation; providerSide: ProviderTranslation | null };
