import { GatewayError } from '../errors/index.ts';
import type { Gauge } from '../lib/gauge.ts';
import { grownCache } from '../lib/grown-cache.ts';
import { clientNetwork } from '../lib/http/addresses.ts';
import type { Logger } from '../lib/logger.ts';

/** Somebody who came with a wrong credential. */
export type Attempt = {
  /** The front door, in logs and metrics. */
  door: string;
  address: string;
  /** The client whose secret was guessed, where the caller names one. */
  clientId?: string;
};

export type Throttle = {
  /** Throws the error of a request that came with a credential; if the credential was wrong, only after a delay. */
  refuse(thrown: unknown, attempt: Attempt): Promise<never>;
  /** Counts a failure and waits until it may be answered; throws TOO_MANY_FAILURES when too many answers wait already. */
  slow(attempt: Attempt): Promise<void>;
  /** True while the latest failures of a client are so many that answers to further ones wait. */
  isSlowed(clientId: string): boolean;
  /** The same for an address. */
  isAddressSlowed(address: string): boolean;
  /** Failures by door since the start. */
  failures: ReadonlyMap<string, number>;
  /** Ends every wait at once. */
  stop(): void;
};

/** Waits, at most until the signal aborts; never rejects. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });

type Options = {
  log: Logger;
  sleep: Sleep;
  /** Milliseconds of a clock that never runs backwards. */
  now(): number;
};

/** Failures within a minute that are answered at once; each further one waits twice as long as the one before. */
const FREE_FAILURES = 9;
const MINUTE = 60_000;
const FIRST_DELAY = 100;
const MAX_DELAY = 3000;
/** The most failures of one source that count. The count of past minutes is halved with each minute. */
const MAX_COUNT = 2 * FREE_FAILURES;
/** Sources of failures that are remembered; an attacker with more addresses than these is not slowed by address. */
const SOURCES = 20_000;
/** Answers that wait at the same time: each holds a connection open. */
const MAX_WAITING = 300;
const MAX_CLIENT_ID_LENGTH = 100;

const addressSource = (address: string) => `address ${clientNetwork(address)}`;
const clientSource = (clientId: string) => `client ${clientId.slice(0, MAX_CLIENT_ID_LENGTH)}`;

type Source = { count: number; since: number; unreported: number; reportedAt: number };

/**
 * Slows down whoever guesses credentials, by address and by the client id that is guessed for. Only answers to failures
 * wait: a valid credential never meets this, so nobody can lock its owner out.
 */
export function createThrottle({ log, sleep: wait, now }: Options): Throttle {
  const sources = grownCache<Source>(SOURCES);
  const failures = new Map<string, number>();
  const stopped = new AbortController();
  let waiting = 0;

  /** The failures of a source; those of past minutes are halved for each minute. */
  function settled(source: Source): number {
    const minutes = Math.floor((now() - source.since) / MINUTE);
    if (minutes > 0) {
      source.count = Math.floor(source.count / 2 ** minutes);
      source.since += minutes * MINUTE;
    }
    return source.count;
  }

  /** Counts one more failure of a source. */
  function count(name: string): Source {
    const at = now();
    const source = sources.get(name) ?? {
      count: 0,
      since: at,
      unreported: 0,
      reportedAt: Number.NEGATIVE_INFINITY,
    };
    source.count = Math.min(settled(source) + 1, MAX_COUNT);
    source.unreported++;
    sources.set(name, source);
    return source;
  }

  function report(source: Source, facts: Record<string, string>): void {
    const at = now();
    if (at - source.reportedAt < MINUTE) return;
    log.warn({ ...facts, failures: source.unreported }, 'Requests with wrong credentials are slowed down.');
    source.unreported = 0;
    source.reportedAt = at;
  }

  function delayOf(source: Source, facts: Record<string, string>): number {
    if (source.count <= FREE_FAILURES) return 0;
    report(source, facts);
    return Math.min(FIRST_DELAY * 2 ** (source.count - FREE_FAILURES - 1), MAX_DELAY);
  }

  function delayFor({ door, address: from, clientId }: Attempt): number {
    const byAddress = delayOf(count(addressSource(from)), { door, address: clientNetwork(from) });
    if (clientId === undefined) return byAddress;
    const guessed = clientId.slice(0, MAX_CLIENT_ID_LENGTH);
    return Math.max(byAddress, delayOf(count(clientSource(clientId)), { door, clientId: guessed }));
  }

  async function slow(attempt: Attempt): Promise<void> {
    failures.set(attempt.door, (failures.get(attempt.door) ?? 0) + 1);
    const delay = delayFor(attempt);
    if (delay === 0) return;
    if (waiting >= MAX_WAITING) {
      throw new GatewayError('TOO_MANY_FAILURES', { retryAfter: Math.ceil(delay / 1000) });
    }
    waiting++;
    await wait(delay, stopped.signal);
    waiting--;
  }

  function isSlow(name: string): boolean {
    const source = sources.get(name);
    return source !== undefined && settled(source) > FREE_FAILURES;
  }

  return {
    slow,
    isSlowed: (clientId) => isSlow(clientSource(clientId)),
    isAddressSlowed: (address) => isSlow(addressSource(address)),
    async refuse(thrown, attempt) {
      if (thrown instanceof GatewayError && thrown.entry.status === 401) await slow(attempt);
      throw thrown;
    },
    failures,
    stop: () => stopped.abort(),
  };
}

/** How often somebody came with a wrong credential. */
export const throttleGauge = (throttle: Pick<Throttle, 'failures'>): Gauge => ({
  name: 'sluice_authentication_failures_total',
  help: 'Requests with a wrong credential by front door.',
  kind: 'counter',
  label: 'door',
  read: () => throttle.failures,
});
