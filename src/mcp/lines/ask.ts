import { retryAfter } from '../../dataplane/answer/retry.ts';
import type { JsonObject } from '../../lib/json.ts';
import { UpstreamProblem, type UpstreamWire, type WireControl, type WireRequest } from '../upstream/index.ts';

/** What became of one message to a server. */
export type AskedServer = {
  /** The HTTP status; 0 where there was none. */
  status: number;
  /** The answer to the message; null where it did not come. */
  response: { value: JsonObject; text: string } | null;
  /** The session that the server opened with its answer. */
  sessionId: string | null;
  /** What the server says of the credential that it refuses; null where it says nothing. */
  challenge: string | null;
  problem: UpstreamProblem | null;
  /** What ended the wait; null where the server did. */
  cut: 'idle' | 'total' | 'cancelled' | null;
  /** Id of the last event that had one. */
  lastEventId: string | null;
  /** Milliseconds after which the server wants its stream to be taken up again; null where it did not say. */
  retryMs: number | null;
  /** Milliseconds after which a server that takes nothing now wants to be asked again; null where it did not say. */
  retryAfterMs: number | null;
};

export type AskOptions = {
  wire: UpstreamWire;
  /** Milliseconds of silence, and of the whole wait. */
  idleMs: number;
  totalMs: number;
  /** Milliseconds until there is a connection; undefined leaves it to the connection itself. */
  connectMs?: number | undefined;
  /** Whether a message is the answer that is waited for. */
  isAnswer(value: JsonObject): boolean;
  /** Takes every other message; `false` asks to pause until `resume` is called. */
  onMessage?(value: JsonObject, text: string, eventId: string | null): boolean;
  /** Told of an event without data, which only has an id, and of the milliseconds after which its stream is to be taken up again. */
  onPrimed?(eventId: string, retryMs: number | null): void;
  /** Given what ends the wait, and what goes on after a pause. */
  hold?(controls: { cancel(): void; resume(): void }): void;
};

/** Milliseconds in which a server ends its stream behind the answer; later the connection is given up. */
const LEAVE_MS = 1000;

/** Sends one message and waits for its answer. Never rejects. */
export function ask(request: WireRequest, options: AskOptions): Promise<AskedServer> {
  return new Promise((resolve) => {
    const asked: AskedServer = {
      ...{ status: 0, response: null, sessionId: null, problem: null, cut: null, lastEventId: null },
      ...{ retryMs: null, challenge: null, retryAfterMs: null },
    };
    const deadline = Date.now() + options.totalMs;
    let isSettled = false;
    let control: WireControl | null = null;
    let timer = setTimeout(silent, Math.min(options.idleMs, options.totalMs));

    const connecting =
      options.connectMs === undefined ? undefined : setTimeout(unconnected, options.connectMs);

    const settle = () => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      clearTimeout(connecting);
      resolve(asked);
    };
    function cut(why: NonNullable<AskedServer['cut']>): void {
      if (isSettled) return;
      asked.cut = why;
      settle();
      control?.abort();
    }
    /** A request that gets its connection later is not sent any more. */
    function unconnected(): void {
      asked.problem = new UpstreamProblem('connect', 'not connected in time');
      settle();
      control?.abort();
    }
    function silent(): void {
      cut(Date.now() >= deadline ? 'total' : 'idle');
    }
    function hearFrom(): void {
      if (isSettled) return;
      clearTimeout(timer);
      timer = setTimeout(silent, Math.max(1, Math.min(options.idleMs, deadline - Date.now())));
    }

    control = options.wire(request, {
      connected: () => clearTimeout(connecting),
      head(status, headers) {
        clearTimeout(connecting);
        asked.status = status;
        const id = headers['mcp-session-id'];
        asked.sessionId = typeof id === 'string' && id !== '' ? id : null;
        asked.retryAfterMs = retryAfter(headers, Date.now());
        if (status === 403) asked.challenge = String(headers['www-authenticate'] ?? '') || null;
        hearFrom();
      },
      message(value, text, eventId) {
        if (eventId !== null) asked.lastEventId = eventId;
        if (isSettled) return true;
        if (!options.isAnswer(value)) {
          hearFrom();
          return options.onMessage?.(value, text, eventId) ?? true;
        }
        asked.response = { value, text };
        settle();
        timer = setTimeout(() => control?.abort(), LEAVE_MS);
        return true;
      },
      primed(eventId) {
        asked.lastEventId = eventId;
        hearFrom();
        if (!isSettled) options.onPrimed?.(eventId, asked.retryMs);
      },
      retry(milliseconds) {
        asked.retryMs = milliseconds;
      },
      end(problem) {
        clearTimeout(timer);
        if (!isSettled) asked.problem = problem;
        settle();
      },
    });
    options.hold?.({ cancel: () => cut('cancelled'), resume: () => control?.resume() });
    // The caller of this function may have hung up while the request was made.
    if (asked.cut !== null) control.abort();
  });
}
