import type { RetryPolicy } from './config/schema.ts';
import type { UpstreamHeaders } from './upstream/upstream.ts';

const DEFAULT_STATUS_CODES = [429, 500, 502, 503, 504, 529];
/** Milliseconds: the most that one `retry-after`, or all of a target's waits together, may take. */
const WAIT_LIMIT = 60_000;

/** What to do after an attempt: wait that many milliseconds and try again, or stop. */
export type RetryDecision = { wait: number } | 'stop' | 'abandon';

/** Decides about the retries of one target (spec/data-plane.md, section 3.2). */
export class Retries {
  readonly #policy: RetryPolicy | null;
  readonly #statusCodes: ReadonlySet<number>;
  #waited = 0;
  used = 0;

  constructor(policy: RetryPolicy | null) {
    this.#policy = policy;
    this.#statusCodes = new Set(policy?.on_status_codes ?? DEFAULT_STATUS_CODES);
  }

  /** `stop`: the answer stands. `abandon`: it would be tried again, but retries are used up or the wait is too long. */
  decide(status: number, headers: UpstreamHeaders): RetryDecision {
    if (!this.#policy || this.#policy.attempts === 0 || !this.#statusCodes.has(status)) return 'stop';
    if (this.used >= this.#policy.attempts) return 'abandon';
    const asked =
      this.#policy.use_retry_after_header && status === 429 ? retryAfter(headers, Date.now()) : null;
    const wait = asked ?? 1000 * 2 ** this.used;
    if (asked !== null && (asked >= WAIT_LIMIT || this.#waited + asked > WAIT_LIMIT)) return 'abandon';
    return { wait };
  }

  /** Takes note that a wait was decided on and the next attempt is a retry. */
  spend(wait: number): void {
    this.used++;
    this.#waited += wait;
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
