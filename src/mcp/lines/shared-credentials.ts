import type { SecretMemory } from '../../secret-managers/memory.ts';
import { askerOf, type ClientTokens, sharedHeaders, withMappedSecrets } from '../auth/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { UpstreamCredentials } from './credentials.ts';

/** Milliseconds for a token of the client credentials grant. */
const PATIENCE_MS = 10_000;

/** The credentials that all callers of an MCP server share. */
export function createSharedCredentials(given: {
  secretMemory: Pick<SecretMemory, 'get'>;
  tokens: ClientTokens;
}): UpstreamCredentials {
  const { secretMemory, tokens } = given;
  const signal = () => AbortSignal.timeout(PATIENCE_MS);

  async function whole({ upstream }: McpServerRecord) {
    const { configurations, mappedSecrets } = upstream;
    return {
      ...upstream,
      configurations: await withMappedSecrets(configurations, mappedSecrets, secretMemory),
    };
  }

  return {
    headersFor(server, _caller, onRenewal) {
      const { upstream } = server;
      // A signal is dear, and only a token is waited for.
      if (upstream.mappedSecrets.length === 0)
        return upstream.authType === 'oauth_client_credentials'
          ? sharedHeaders(upstream, tokens, { signal: signal(), onRenewal })
          : sharedHeaders(upstream, tokens, { signal: NEVER });
      return whole(server).then((target) => sharedHeaders(target, tokens, { signal: signal(), onRenewal }));
    },
    async forget(server) {
      if (server.upstream.authType !== 'oauth_client_credentials') return false;
      tokens.forget(askerOf(await whole(server)));
      return true;
    },
    // Nobody signs in, so that there is nobody to ask for more.
    stepUp: async () => null,
  };
}

const NEVER = new AbortController().signal;
