import type { Principal } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';

export type OpenCallLimits = {
  /** Calls of one credential. */
  perKey: number;
  /** Calls of this process. */
  total: number;
};

/** Of the files that a process may have open, this part is for calls; each call has a connection to either side. */
const SHARE_OF_FILES = 0.8;
const FILES_PER_CALL = 2;
/** Of the process's calls, what one credential may have: the others shall not wait for it. */
const SHARE_OF_KEY = 0.75;
/** A thousand streams of one key, and as many again that begin while others end, are nothing unusual. */
const MAX_PER_KEY = 4000;
/** Credentials of which a count of nothing is remembered: removing each at once would cost every call. */
const MAX_IDLE_KEYS = 1000;
/** Seconds after which a refused caller may come again. */
const RETRY_AFTER_S = 1;

/** The limits that are set, or else those that follow from how many files the process may have open. */
export function openCallLimits(
  set: { total: number | null; perKey: number | null },
  maxOpenFiles: number,
): OpenCallLimits {
  const total = set.total ?? Math.max(1, Math.floor((maxOpenFiles * SHARE_OF_FILES) / FILES_PER_CALL));
  const perKey = set.perKey ?? Math.max(1, Math.min(MAX_PER_KEY, Math.floor(total * SHARE_OF_KEY)));
  return { total, perKey };
}

/** Counts the calls that are on their way to providers, so that neither a loop nor a flood takes all connections and memory. */
export class OpenCalls {
  readonly limits: Readonly<OpenCallLimits>;
  readonly #byKey = new Map<string, number>();
  #count = 0;

  constructor(limits: OpenCallLimits) {
    this.limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a place, which `leave` gives back. Throws TOO_MANY_OPEN_CALLS or GATEWAY_BUSY when there is none. */
  enter(principal: Principal): void {
    const { perKey, total } = this.limits;
    const key = keyOf(principal);
    const own = this.#byKey.get(key) ?? 0;
    if (own >= perKey) {
      throw new GatewayError('TOO_MANY_OPEN_CALLS', {
        message: `The credential has ${own} open calls, as many as MAX_OPEN_CALLS_PER_KEY allows in one process.`,
        retryAfter: RETRY_AFTER_S,
      });
    }
    if (this.#count >= total) throw new GatewayError('GATEWAY_BUSY', { retryAfter: RETRY_AFTER_S });
    this.#count++;
    this.#byKey.set(key, own + 1);
  }

  leave(principal: Principal): void {
    const key = keyOf(principal);
    const left = (this.#byKey.get(key) ?? 0) - 1;
    this.#count--;
    if (left > 0 || this.#byKey.size <= MAX_IDLE_KEYS) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}

/** The subject of a JWT may be anything, such as the id of another tenant's key. */
const keyOf = ({ kind, id, organisationId }: Principal): string =>
  kind === 'jwt' ? `${organisationId}/${id}` : id;
