import { maskedHeaders } from '../../recording/log/answers/masking.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';

const STAR = '*';

/** Secrets as they are searched for. */
export type Sought = { texts: readonly string[]; bytes: readonly Buffer[] };

/**
 * Masks a credential that the caller must not learn where a provider repeats it in an answer. As many bytes come out as go
 * in, so that announced lengths stay true.
 */
export class SecretMask {
  readonly #sought: Sought;
  #held: Buffer | null = null;

  constructor(sought: Sought) {
    this.#sought = sought;
  }

  headers(headers: UpstreamHeaders): UpstreamHeaders {
    return maskedHeaders(headers, this.#sought.texts);
  }

  /** What of the body may go on; null where all of it may be the beginning of a secret. */
  take(chunk: Buffer): Buffer | null {
    const given = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    let safe = given;
    let held = 0;
    for (const secret of this.#sought.bytes) {
      for (let at = safe.indexOf(secret); at >= 0; at = safe.indexOf(secret, at + secret.length)) {
        if (safe === given) safe = Buffer.from(given);
        safe.fill(STAR, at, at + secret.length);
      }
      held = Math.max(held, begunAtEnd(safe, secret));
    }
    const end = safe.length - held;
    this.#held = held === 0 ? null : safe.subarray(end);
    if (end === 0) return null;
    return held === 0 ? safe : safe.subarray(0, end);
  }

  /** What was held back, once nothing more comes; null for nothing. */
  rest(): Buffer | null {
    const held = this.#held;
    this.#held = null;
    return held;
  }
}

/** How many bytes at the end are the beginning of a secret. */
function begunAtEnd(bytes: Buffer, secret: Buffer): number {
  const { length } = bytes;
  const first = secret[0];
  for (let at = Math.max(0, length - secret.length + 1); at < length; at++) {
    if (bytes[at] !== first) continue;
    let count = 1;
    while (at + count < length && bytes[at + count] === secret[count]) count++;
    if (at + count === length) return count;
  }
  return 0;
}
