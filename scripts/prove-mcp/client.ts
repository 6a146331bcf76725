import { setTimeout as wait } from 'node:timers/promises';

/**
 * What a caller knows of a call. `refused`: an error says whether the server may have done it; `broken`: no answer came, so
 * that it may have.
 */
export type Outcome = {
  mark: string;
  kind: 'answered' | 'refused' | 'broken' | 'session lost' | 'wrong answer';
  maybeExecuted: boolean;
  /** The process that answered; null where none did. */
  servedBy: string | null;
  /** On the clock of `performance.now()`. */
  endedAt: number;
};

type Json = Record<string, unknown>;
type Answer = { status: number; headers: Headers; message: Json };

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const META = 'io.modelcontextprotocol/';
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/** A program that calls a tool again and again, and never sends a call twice. */
export class Client {
  readonly outcomes: Outcome[] = [];
  readonly #name: string;
  readonly #url: string;
  readonly #key: string;
  /** Null for a client of the era without sessions. */
  #session: string | null = null;
  #count = 0;

  constructor(name: string, url: string, key: string) {
    this.#name = name;
    this.#url = url;
    this.#key = key;
  }

  /** Opens a session, which is to last until the end. */
  async open(): Promise<void> {
    for (;;) {
      const params = {
        protocolVersion: LEGACY,
        capabilities: {},
        clientInfo: { name: 'prove', version: '1' },
      };
      const answer = await this.#post({ id: 'open', method: 'initialize', params }, {});
      this.#session = answer?.headers.get('mcp-session-id') ?? null;
      if (this.#session !== null) break;
      await wait(PAUSE_MS);
    }
    await this.#post({ method: 'notifications/initialized' }, this.#headers('notifications/initialized'));
  }

  async callUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.call();
      await wait(Math.random() * PAUSE_MS);
    }
  }

  async call(): Promise<Outcome> {
    const mark = `${this.#name}-${++this.#count}`;
    const params = {
      ...{ name: 'count', arguments: { mark } },
      ...(this.#session === null && {
        _meta: {
          [`${META}protocolVersion`]: MODERN,
          [`${META}clientInfo`]: { name: 'prove', version: '1' },
          [`${META}clientCapabilities`]: {},
        },
      }),
    };
    const answer = await this.#post({ id: mark, method: 'tools/call', params }, this.#headers('tools/call'));
    const outcome = { mark, ...judged(answer, mark), endedAt: performance.now() };
    this.outcomes.push(outcome);
    return outcome;
  }

  #headers(method: string): Record<string, string> {
    return this.#session === null
      ? { 'mcp-protocol-version': MODERN, 'mcp-method': method, 'mcp-name': 'count' }
      : { 'mcp-protocol-version': LEGACY, 'mcp-session-id': this.#session };
  }

  /** Null where no whole answer came. */
  async #post(message: Json, headers: Record<string, string>): Promise<Answer | null> {
    try {
      const answer = await fetch(`${this.#url}/counting/mcp`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'x-gateway-api-key': this.#key, ...headers },
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await answer.text();
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
      const json = isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}') : text || '{}';
      return { status: answer.status, headers: answer.headers, message: JSON.parse(json) as Json };
    } catch {
      // The process in front of which the request stood was killed.
      return null;
    }
  }
}

type Error = { code: number; data?: { maybe_executed?: boolean } };

function judged(answer: Answer | null, mark: string): Pick<Outcome, 'kind' | 'maybeExecuted' | 'servedBy'> {
  const servedBy = answer?.headers.get('x-served-by') ?? null;
  // The load balancer says 502 and 503 by itself.
  if (answer === null || servedBy === null) return { kind: 'broken', maybeExecuted: true, servedBy: null };
  const { result, error } = answer.message as { result?: { content?: { text?: string }[] }; error?: Error };
  if (answer.status === 404) return { kind: 'session lost', maybeExecuted: false, servedBy };
  if (error) return { kind: 'refused', maybeExecuted: error.data?.maybe_executed ?? false, servedBy };
  const isRight = result?.content?.[0]?.text === mark;
  return { kind: isRight ? 'answered' : 'wrong answer', maybeExecuted: true, servedBy };
}
