/**
 * What an event tells about a stream of which the caller has seen nothing yet: that it goes on opening, that there is
 * something to show, or that the provider gave up.
 */
export type EventKind = 'opening' | 'content' | StreamError;

/** An error that came as an event: the status that it would have had as an answer, and its payload. */
export type StreamError = { status: number; payload: Record<string, unknown> };

/** How a stream ended: whole, with an error event, too early, or in a way that is not this format's. */
export type Ending = 'complete' | 'error' | 'cut' | 'foreign';

/** Why the gateway ends a stream that the provider left unfinished. */
export type StreamFailure = { message: string; type: string; code: string | null };

/** The events of one kind of streamed answer, as far as the gateway has to understand them. */
export type StreamFormat = {
  /** `name` is the `event:` line, `data` the joined `data:` lines. */
  kindOf(name: string | null, data: string): EventKind;
  /** `tail`: the last bytes of the stream, one character each. */
  endingOf(tail: string): Ending;
  /** The event that tells the caller that the rest will not come. */
  failure(failure: StreamFailure, tail: string): string;
};
