import type { UpstreamFailure } from '../send/upstream.ts';
import type { ProviderError } from './provider-error.ts';
import type { Relay } from './relay.ts';
import type { AttemptResult } from './settled.ts';

/** Takes the body of an answer that is not passed on as it is. Exactly one of `end` and `fail` is called, last. */
export type AnswerReader = {
  /** False asks to pause. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void;
};

/** What a reader does with what it found. */
export type Reception = {
  readonly result: AttemptResult;
  readonly relay: Relay;
  /** The last bytes that came, one character each. */
  tail(bytes: number): string;
  /** Ends the attempt with an error of the provider, which the caller gets unless there is another attempt. */
  refuse(status: number, error: ProviderError): void;
  /** Ends the attempt for want of an answer, or of the rest of one. */
  giveUp(failure: UpstreamFailure, cause: Error): void;
  /** Ends the attempt. */
  settle(): void;
};
