import { retryAfter } from '../../dataplane/answer/retry.ts';
import type { UpstreamHeaders } from '../../dataplane/send/upstream.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  type UpstreamHearer,
  UpstreamProblem,
  type UpstreamWire,
  type WireControl,
  type WireRequest,
} from '../upstream/index.ts';

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
  return new Promise((resolve) => new Asking(options, resolve).begin(request));
}

class Asking implements UpstreamHearer {
  readonly #asked: AskedServer = {
    status: 0,
    response: null,
    sessionId: null,
    challenge: null,
    problem: null,
    cut: null,
    lastEventId: null,
    retryMs: null,
    retryAfterMs: null,
  };
  readonly #options: AskOptions;
  readonly #resolve: (asked: AskedServer) => void;
  readonly #deadline: number;
  #heardAt: number;
  #isSettled = false;
  #control: WireControl | null = null;
  #timer: NodeJS.Timeout;
  readonly #connecting: NodeJS.Timeout | undefined;

  constructor(options: AskOptions, resolve: (asked: AskedServer) => void) {
    const { idleMs, totalMs, connectMs } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#heardAt = Date.now();
    this.#deadline = this.#heardAt + totalMs;
    this.#timer = setTimeout(() => this.#look(), Math.min(idleMs, totalMs));
    if (connectMs !== undefined) this.#connecting = setTimeout(() => this.#unconnected(), connectMs);
  }

  begin(request: WireRequest): void {
    const { wire, hold } = this.#options;
    this.#control = wire(request, this);
    hold?.({ cancel: () => this.#cut('cancelled'), resume: () => this.#control?.resume() });
    // The caller may have hung up while the request was made.
    if (this.#asked.cut !== null) this.#control.abort();
  }

  connected(): void {
    if (this.#connecting) clearTimeout(this.#connecting);
  }

  head(status: number, headers: UpstreamHeaders): void {
    const asked = this.#asked;
    this.connected();
    asked.status = status;
    const id = headers['mcp-session-id'];
    asked.sessionId = typeof id === 'string' && id !== '' ? id : null;
    if (status >= 300) asked.retryAfterMs = retryAfter(headers, Date.now());
    if (status === 403) asked.challenge = String(headers['www-authenticate'] ?? '') || null;
    this.#heardAt = Date.now();
  }

  message(value: JsonObject, text: string, eventId: string | null, isLast: boolean): boolean {
    if (eventId !== null) this.#asked.lastEventId = eventId;
    if (this.#isSettled) return true;
    if (!this.#options.isAnswer(value)) {
      this.#heardAt = Date.now();
      return this.#options.onMessage?.(value, text, eventId) ?? true;
    }
    this.#asked.response = { value, text };
    this.#settle();
    if (!isLast) this.#timer = setTimeout(() => this.#control?.abort(), LEAVE_MS);
    return true;
  }

  primed(eventId: string): void {
    this.#asked.lastEventId = eventId;
    this.#heardAt = Date.now();
    if (!this.#isSettled) this.#options.onPrimed?.(eventId, this.#asked.retryMs);
  }

  retry(milliseconds: number): void {
    this.#asked.retryMs = milliseconds;
  }

  end(problem: UpstreamProblem | null): void {
    clearTimeout(this.#timer);
    if (!this.#isSettled) this.#asked.problem = problem;
    this.#settle();
  }

  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.connected();
    this.#resolve(this.#asked);
  }

  /** A timer for each sign of life would cost more than all else that is done with it: this one looks when the last one was. */
  #look(): void {
    const now = Date.now();
    const until = Math.min(this.#heardAt + this.#options.idleMs, this.#deadline);
    if (now < until) this.#timer = setTimeout(() => this.#look(), until - now);
    else this.#cut(now >= this.#deadline ? 'total' : 'idle');
  }

  #cut(why: NonNullable<AskedServer['cut']>): void {
    if (this.#isSettled) return;
    this.#asked.cut = why;
    this.#settle();
    this.#control?.abort();
  }

  /** A request that gets its connection later is not sent any more. */
  #unconnected(): void {
    if (this.#isSettled) return;
    this.#asked.problem = new UpstreamProblem('connect', 'not connected in time');
    this.#settle();
    this.#control?.abort();
  }
}
