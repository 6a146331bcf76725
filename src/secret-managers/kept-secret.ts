import type { SecretContent } from './content.ts';
import { SecretProblem } from './problem.ts';

export type KeepingTimes = {
  /** Milliseconds after which a value is read again. */
  refreshMs: number;
  /** Milliseconds that the last value serves while the manager gives none. */
  lastGoodMs: number;
};

/** Milliseconds without a use after which a secret is no more kept in memory. */
const IDLE_MS = 3_600_000;
/** Milliseconds after a failure in which nobody asks the manager again. */
const PAUSE_MS = 1000;
/** Milliseconds before the first look after a failure in the background; each further one waits twice as long. */
const FIRST_RETRY_MS = 5000;

/** The latest content of one secret, read again in the background for as long as it is in use. */
export class KeptSecret {
  readonly #read: () => Promise<SecretContent>;
  readonly #times: KeepingTimes;
  readonly #onIdle: () => void;
  readonly #onChange: (problem: SecretProblem | null) => void;
  #content: SecretContent | null = null;
  #confirmedAt = 0;
  #usedAt = Date.now();
  #problem: SecretProblem | null = null;
  #failures = 0;
  #startedAt = 0;
  #renewedAt = 0;
  #renewing: Promise<SecretContent> | null = null;
  #pending: Promise<SecretContent> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    read: () => Promise<SecretContent>,
    times: KeepingTimes,
    on: { idle: () => void; change: (problem: SecretProblem | null) => void },
  ) {
    this.#read = read;
    this.#times = times;
    this.#onIdle = on.idle;
    this.#onChange = on.change;
  }

  /** Why the manager gave no value last; null when it did. */
  get problem(): SecretProblem | null {
    return this.#problem;
  }

  /** The content in memory, without a promise; else the one that the manager gives. Throws, or rejects with, a SecretProblem. */
  get(): SecretContent | Promise<SecretContent> {
    const now = Date.now();
    this.#usedAt = now;
    if (this.#content) {
      if (now - this.#confirmedAt <= this.#times.refreshMs + this.#times.lastGoodMs) return this.#content;
      this.#content = null;
    }
    if (this.#problem && !this.#pending && now - this.#startedAt < PAUSE_MS) throw this.#problem;
    return this.#fetch();
  }

  /** Whether `renew` could give another content. */
  mayRenew(used: SecretContent): boolean {
    return this.#content !== used || this.#renewing !== null || Date.now() - this.#renewedAt >= PAUSE_MS;
  }

  /** The content after a provider refused `used`: one that came since, or what the manager says now. */
  async renew(used: SecretContent): Promise<SecretContent> {
    if (this.#renewing === null) {
      // What was asked for before the refusal may be as old as what was refused.
      if (this.#content === used) await this.#pending?.catch(() => undefined);
      if (this.#content && this.#content !== used) return this.#content;
      if (!this.mayRenew(used)) return used;
    }
    this.#renewing ??= this.#renewNow();
    return this.#renewing;
  }

  async #renewNow(): Promise<SecretContent> {
    const before = this.#content;
    const startedAt = Date.now();
    try {
      return await this.#fetch();
    } finally {
      this.#renewing = null;
      // Without a change, providers that go on refusing do not make the manager be asked for each call.
      this.#renewedAt = this.#content === before ? startedAt : 0;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#content = null;
  }

  #fetch(): Promise<SecretContent> {
    if (this.#pending) return this.#pending;
    this.#startedAt = Date.now();
    const pending = this.#read().then(
      (content) => this.#keep(content),
      (error: unknown) => this.#fail(error),
    );
    this.#pending = pending;
    return pending;
  }

  #keep(content: SecretContent): SecretContent {
    this.#pending = null;
    this.#confirmedAt = Date.now();
    this.#failures = 0;
    this.#note(null);
    // The same object for the same content: what was made of it stays good.
    if (!this.#content?.equals(content)) this.#content = content;
    this.#schedule(this.#times.refreshMs);
    return this.#content as SecretContent;
  }

  #fail(error: unknown): never {
    this.#pending = null;
    const problem =
      error instanceof SecretProblem
        ? error
        : new SecretProblem('unreadable', 'The secret cannot be read.', error);
    // A secret that is gone is gone; one that cannot be asked for may still be good.
    if (problem.fault === 'missing') this.#content = null;
    this.#note(problem);
    this.#schedule(Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, this.#times.refreshMs));
    throw problem;
  }

  #note(problem: SecretProblem | null): void {
    const isNews = this.#problem?.message !== problem?.message;
    this.#problem = problem;
    if (isNews) this.#onChange(problem);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    // Not all processes, and not all secrets, ask at the same moment.
    this.#timer = setTimeout(() => this.#look(), delayMs * (0.8 + Math.random() * 0.2));
    this.#timer.unref();
  }

  #look(): void {
    if (Date.now() - this.#usedAt > IDLE_MS || this.#content === null) this.#onIdle();
    else this.#fetch().catch(() => undefined);
  }
}
