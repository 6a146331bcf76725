import { retryHint } from '../../providers/native-api.ts';
import type { RetryPolicy } from '../../routing-config/schema.ts';
import type { Tries } from '../call/tries.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import type { ProviderError } from './provider-error.ts';

const DEFAULT_STATUS_CODES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 529]);
/** Milliseconds: the most that one `retry-after`, or all of a target's waits together, may take. */
const WAIT_LIMIT = 60_000;
/** Milliseconds before the first retry; each further one waits twice as long. */
const FIRST_WAIT = 1000;

/** What to do after an attempt: wait that many milliseconds and try again, or stop. */
export type RetryDecision = { wait: number } | 'stop' | 'abandon';

/** Decides about the retries of one target: whether, and after how long, the same request is sent to it again. */
export class Retries {
  readonly #policy: RetryPolicy | null;
  readonly #tries: Tries;
  readonly #statusCodes: ReadonlySet<number>;
  #waited = 0;
  #used = 0;
  #isAbandoned = false;

  constructor(policy: RetryPolicy | null, tries: Tries) {
    this.#policy = policy;
    this.#tries = tries;
    this.#statusCodes = policy?.on_status_codes ? new Set(policy.on_status_codes) : DEFAULT_STATUS_CODES;
  }

  /** Retries that were made; -1 when one more would have been due. */
  get count(): number {
    return this.#isAbandoned ? -1 : this.#used;
  }

  /** `stop`: the answer stands. `abandon`: it would be tried again, but retries are used up or the wait is too long. */
  decide(status: number, headers: UpstreamHeaders, error: ProviderError | null): RetryDecision {
    if (!this.#policy || this.#policy.attempts === 0 || !this.#statusCodes.has(status)) return 'stop';
    const wait = this.#used < this.#policy.attempts ? this.#wait(status, headers, error) : null;
    if (wait !== null && this.#tries.allowOneMore()) return { wait };
    this.#isAbandoned = true;
    return 'abandon';
  }

  /** Takes note that a wait is over and the next attempt is a retry. */
  spend(wait: number): void {
    this.#used++;
    this.#waited += wait;
  }

  /** Never shorter than a provider at its limit asks for; null when that is too long. */
  #wait(status: number, headers: UpstreamHeaders, error: ProviderError | null): number | null {
    const backoff = FIRST_WAIT * 2 ** this.#used;
    const asked = status === 429 ? (retryAfter(headers, Date.now()) ?? retryHint(error)) : null;
    if (asked === null) return backoff;
    const wait = this.#policy?.use_retry_after_header ? asked : Math.max(asked, backoff);
    return asked >= WAIT_LIMIT || this.#waited + wait > WAIT_LIMIT ? null : wait;
  }
}

/** Milliseconds that a provider asks to wait, from the first of its three headers that is there; null when it does not say. */
export function retryAfter(headers: UpstreamHeaders, now: number): number | null {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const value = headers[name];
    if (typeof value === 'string') return milliseconds(value, 1);
  }
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  if (/^[\d.]+$/.test(value.trim())) return milliseconds(value, 1000);
  // `Date.parse` takes almost anything with a digit in it, e.g. `-5`.
  if (!/^[a-z]{3}/i.test(value.trim())) return null;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function milliseconds(text: string, unit: number): number | null {
  const value = Number(text.trim());
  return Number.isFinite(value) && value >= 0 && text.trim() !== '' ? value * unit : null;
}
