import { invalidInput } from '../../../../errors/index.ts';
import type { McpConfigurations } from '../../../../mcp/configurations/index.ts';

/** Where the secrets of an integration go. */
export type Destinations = { url: string; configurations: McpConfigurations };

/**
 * Stored secrets are write-only: whoever points an integration at another host must bring those that go there, or changing
 * the host would be a way to read them. `kept`: the places of secrets that would stay as they are.
 */
export function requireSameHosts(before: Destinations, after: Destinations, kept: readonly string[]): void {
  const moved = kept.find((path) => hostOf(path, before) !== hostOf(path, after));
  if (moved === undefined) return;
  throw invalidInput(
    `input.configurations.${moved}`,
    `The host to which it goes changes: send configurations.${moved} again.`,
  );
}

/** Origins of what gets the secret, as one text. */
function hostOf(path: string, { url, configurations }: Destinations): string {
  const { oauth_metadata: oauth, jwt_validation: validation } = configurations;
  if (path.startsWith('oauth_metadata.'))
    return [url, oauth?.issuer, oauth?.token_endpoint].map(originOf).join(' ');
  if (path.startsWith('jwt_validation.')) return originOf(validation?.introspectEndpoint);
  if (path.startsWith('external_auth_config.')) return originOf(configurations.external_auth_config?.issuer);
  return originOf(url);
}

const originOf = (url: string | undefined): string => {
  if (url === undefined) return '';
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};
