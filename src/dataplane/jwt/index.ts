import { Agent } from 'undici';
import type { Logger } from '../../lib/logger.ts';
import type { JwtIssuer } from '../../settings.ts';
import type { Directory } from '../directory.ts';
import { fetchKeys } from './fetch-keys.ts';
import { createKeySet } from './key-set.ts';
import { createVerifier } from './verifier.ts';

type Options = { workspaces: Directory['workspaces']; log: Logger };

/** The issuers whose JWTs are taken in place of gateway keys. */
export function createJwtIssuers(list: readonly JwtIssuer[], { workspaces, log }: Options) {
  // The operator named these addresses: they may be private.
  const agent = new Agent();
  const stopped = new AbortController();
  const issuers = list.map((issuer) => {
    const keys = createKeySet({
      fetch: () => fetchKeys(issuer.jwksUrl, agent, stopped.signal),
      onFailure(error) {
        if (stopped.signal.aborted) return;
        log.warn({ error, issuer: issuer.issuer }, "An issuer's keys could not be fetched.");
      },
      now: () => performance.now(),
    });
    return { ...issuer, keys, verifier: createVerifier(issuer, { keys, workspaces }) };
  });
  const verifiers = new Map(issuers.map(({ issuer, verifier }) => [issuer, verifier]));

  return {
    isEmpty: list.length === 0,
    /** What checks the tokens of this `iss`; null for an issuer that nobody has configured. */
    verifierOf: (issuer: string) => verifiers.get(issuer) ?? null,
    /** Fetches the keys in the background, so that no caller has to wait for them. */
    start(): void {
      for (const { keys } of issuers) void keys.refresh();
    },
    async stop(): Promise<void> {
      stopped.abort();
      await agent.destroy();
    },
  };
}
