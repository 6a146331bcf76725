/**
 * What an event means for a stream of which the caller has seen nothing yet. `opening`: the answer has not begun, wait for
 * more. `content`: there is something to show. An error: the provider gave up.
 */
export type StreamEventKind = 'opening' | 'content' | StreamError;

/** An error that came as an event: its payload, and the status of the answer that the provider would have sent instead. */
export type StreamError = { status: number; payload: Record<string, unknown> };

/** How a stream ended. `cut`: too early. `foreign`: with events that are none of this format's. */
export type Ending = 'complete' | 'error' | 'cut' | 'foreign';

/** Why the gateway ends a stream that the provider left unfinished, in the members of OpenAI's error. */
export type StreamFailure = { message: string; type: string; code: string | null };

/** The events of one format, as far as the gateway has to understand them. */
export type StreamFormat = {
  /** `name` is the `event:` line, `data` the joined `data:` lines. */
  kindOf(name: string | null, data: string): StreamEventKind;
  /** `tail`: the last 8 KiB of the stream, as text with one character for each byte. */
  endingOf(tail: string): Ending;
  /** The event that tells the caller that the rest will not come. */
  failure(failure: StreamFailure, tail: string): string;
};
