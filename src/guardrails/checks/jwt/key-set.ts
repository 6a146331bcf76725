import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../../lib/json.ts';
import type { CheckInput, CheckServices } from '../../check.ts';
import { jsonAnswer } from '../remote/common.ts';

/** Milliseconds for an answer of the issuer. */
export const ISSUER_TIMEOUT = 5_000;
/** Milliseconds between two looks for a key that is not known: tokens with made-up keys must not flood the issuer. */
const PAUSE = 10_000;

type Services = Pick<CheckServices, 'send'>;
type Fetched = { keys: Promise<JWTVerifyGetKey>; at: number };

/** The keys of an issuer, fetched when they are first asked for, when they are old, and once more for an unknown one. */
export class RemoteKeySet {
  readonly #url: string;
  readonly #maxAge: number;
  #fetched: Fetched | null = null;

  /** `maxAge` in seconds. */
  constructor(url: string, maxAge: number) {
    this.#url = url;
    this.#maxAge = maxAge * 1_000;
  }

  /** Looks up keys for one check. */
  lookup({ signal }: Pick<CheckInput, 'signal'>, services: Services): JWTVerifyGetKey {
    return async (header, token) => {
      const known = this.#fresh(signal, services, this.#maxAge);
      try {
        return await (await known)(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const newer = this.#fresh(signal, services, PAUSE);
        if (newer === known) throw error;
        return await (await newer)(header, token);
      }
    };
  }

  #fresh(signal: AbortSignal, services: Services, maxAge: number): Promise<JWTVerifyGetKey> {
    const known = this.#fetched;
    if (known !== null && Date.now() - known.at < maxAge) return known.keys;
    const fetched = { keys: fetchKeys(this.#url, signal, services), at: Date.now() };
    this.#fetched = fetched;
    // The next check tries again.
    fetched.keys.catch(() => {
      if (this.#fetched === fetched) this.#fetched = null;
    });
    return fetched.keys;
  }
}

async function fetchKeys(url: string, signal: AbortSignal, services: Services) {
  const answer = await services.send({ url, method: 'GET', timeoutMs: ISSUER_TIMEOUT, signal });
  const keys = jsonAnswer('The issuer', answer);
  if (!isObject(keys) || !Array.isArray(keys.keys)) throw new Error('The issuer answered no JWK set.');
  return createLocalJWKSet(keys as unknown as JSONWebKeySet);
}
