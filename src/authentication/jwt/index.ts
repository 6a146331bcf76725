import { Agent } from 'undici';
import type { Directory } from '../../directory/memory.ts';
import type { Logger } from '../../lib/logger.ts';
import type { JwtIssuer } from '../../settings/identity/jwt-issuers.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { fetchKeys } from './fetch-keys.ts';
import { createKeySet } from './key-set.ts';
import { createVerifier, type Issuer } from './verifier.ts';

export type JwtIssuers = {
  verifier: TokenVerifier;
  /** Fetches the issuers' keys in the background, so that callers need not wait for them. */
  start(): void;
  stop(): Promise<void>;
};

/** The issuers whose JWTs are taken in place of gateway keys. */
export function createJwtIssuers(
  list: readonly JwtIssuer[],
  { workspaces, now, log }: { workspaces: Directory['workspaces']; now: () => Date; log: Logger },
): JwtIssuers {
  // The operator named these addresses: they may be private.
  const agent = new Agent();
  const stopped = new AbortController();

  const withKeys = (issuer: JwtIssuer): Issuer => ({
    ...issuer,
    keys: createKeySet({
      fetch: () => fetchKeys(issuer.jwksUrl, agent, stopped.signal),
      onFailure(error) {
        if (stopped.signal.aborted) return;
        log.warn({ error, issuer: issuer.issuer }, "An issuer's keys could not be fetched.");
      },
      now: () => performance.now(),
    }),
  });
  const issuers = list.map(withKeys);

  return {
    verifier: createVerifier(issuers, { workspaces, now }),
    start() {
      for (const { keys } of issuers) void keys.refresh();
    },
    async stop() {
      stopped.abort();
      await agent.destroy();
    },
  };
}
