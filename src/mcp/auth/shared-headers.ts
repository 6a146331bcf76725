import type { UpstreamTarget } from '../target.ts';
import type { ClientTokens, TokenAsker, TokenAsking } from './client-credentials.ts';

/** Whose token an integration needs. */
export const askerOf = ({
  id,
  url,
  configurations,
}: Pick<UpstreamTarget, 'id' | 'url' | 'configurations'>): TokenAsker => ({
  id,
  url,
  oauth: configurations.oauth_metadata ?? {},
});

/**
 * The headers that all callers share: the credential, and over it what an administrator has set. Waits only for a token.
 * Rejects with an UpstreamProblem.
 */
export function sharedHeaders(
  target: UpstreamTarget,
  tokens: ClientTokens,
  asking: TokenAsking,
): Record<string, string> | Promise<Record<string, string>> {
  const { authType, configurations } = target;
  const own = configurations.passthrough_headers ?? {};
  if (authType === 'headers') return { ...configurations.headers, ...own };
  if (authType !== 'oauth_client_credentials') return own;
  return tokens.get(askerOf(target), asking).then((token) => ({ authorization: `Bearer ${token}`, ...own }));
}
