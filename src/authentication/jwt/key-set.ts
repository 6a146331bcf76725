import type { KeyObject } from 'node:crypto';
import { GatewayError } from '../../errors/index.ts';

/** The public keys of one issuer. */
export type KeySet = {
  /** Waits for the network only when the `kid` is not known; throws ISSUER_UNAVAILABLE when that gave no answer. */
  get(kid: string): KeyObject | null | Promise<KeyObject | null>;
  /** Fetches the keys; never rejects. */
  refresh(): Promise<void>;
};

type Options = {
  fetch(): Promise<ReadonlyMap<string, KeyObject>>;
  onFailure(error: unknown): void;
  /** Milliseconds of a clock that never runs backwards. */
  now(): number;
};

/** Milliseconds after which keys are fetched again, so that a withdrawn one is not taken for ever. */
export const MAX_AGE = 600_000;
/** Milliseconds between two fetches for unknown kids, which anybody can make up. */
export const COOLDOWN = 30_000;
/** Milliseconds between two fetches when the last one failed. */
export const RETRY_INTERVAL = 5000;

/** Remembers the keys of the last successful fetch, which serve on while the issuer does not answer. */
export function createKeySet({ fetch, onFailure, now }: Options): KeySet {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let failed = false;
  let pending: Promise<void> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function load(): Promise<void> {
    try {
      keys = await fetch();
      failed = false;
    } catch (error) {
      failed = true;
      onFailure(error);
    }
    triedAt = now();
    pending = null;
  }

  function refresh(): Promise<void> {
    pending ??= load();
    return pending;
  }

  function ask(): Promise<void> | null {
    if (pending) return pending;
    if (now() - askedAt < (failed ? RETRY_INTERVAL : COOLDOWN)) return null;
    askedAt = now();
    return refresh();
  }

  function find(kid: string): KeyObject | null {
    const key = keys.get(kid);
    if (!key && failed) {
      throw new GatewayError('ISSUER_UNAVAILABLE', { retryAfter: RETRY_INTERVAL / 1000 });
    }
    return key ?? null;
  }

  return {
    get(kid) {
      const known = keys.get(kid);
      if (!known) return ask()?.then(() => find(kid)) ?? find(kid);
      if (now() - triedAt >= (failed ? RETRY_INTERVAL : MAX_AGE)) void refresh();
      return known;
    },
    refresh,
  };
}
