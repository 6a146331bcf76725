/** How requests and answers of a caller's format become those of chat completions, and back. */
export type CallerTranslation = {
  /** The caller's body as a chat completion request. Throws a 400 that names the field for what cannot be said in chat. */
  request(body: Record<string, unknown>): Record<string, unknown>;
  /** A whole chat completion in the caller's format; `request` is the caller's body. */
  answer(chat: Record<string, unknown>, request: Record<string, unknown>): Record<string, unknown>;
  /** The translation of one chat stream; `request` is the caller's body. */
  stream(request: Record<string, unknown>): TranslatedStream;
  /** The body of an error in the caller's format; `body` is the provider's or the gateway's, `{error: {message, …}}` as a rule. */
  error(status: number, body: unknown): Record<string, unknown>;
};

/** Turns the parsed `data:` of a chat stream into the text of the caller's events, which is empty after `end` or `fail`. */
export type TranslatedStream = {
  chunk(chat: Record<string, unknown>): string;
  /** True once the provider said why it finished: all that may still come is the usage. */
  readonly isFinished: boolean;
  /** Why the answer broke off; null as long as the caller's events say nothing of it. */
  readonly failure: string | null;
  /** The events that close what is open and say that the answer is complete. */
  end(): string;
  /** The events that say that the answer broke off. */
  fail(message: string): string;
};

/** How a chat request becomes one of a provider's format, and the provider's answer one of chat. */
export type ProviderTranslation = {
  /** A chat request that the gateway made, in the provider's format. */
  request(chat: Record<string, unknown>): Record<string, unknown>;
  /** A whole answer as a chat completion. A body that is no answer stays as it is. */
  answer(body: Record<string, unknown>): Record<string, unknown>;
  /** The parsed `data:` of an event as a chunk of chat; null when chat has nothing like it. */
  chunk(event: Record<string, unknown>): Record<string, unknown> | null;
};

/** How a caller's format reaches a provider that does not take it: as chat, or from chat into one more format. */
export type Translation = { callerSide: CallerTranslation; providerSide: ProviderTranslation | null };
