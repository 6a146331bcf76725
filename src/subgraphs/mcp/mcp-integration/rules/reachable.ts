import { invalidInput } from '../../../../errors/index.ts';
import type { McpConfigurations } from '../../../../mcp/configurations/index.ts';
import type { GraphContext } from '../../../context.ts';

/** Refuses addresses to which the gateway sends nothing: of the server, and of whatever its settings name. */
export function requireReachable(
  { mcp }: Pick<GraphContext, 'mcp'>,
  url: string,
  { oauth_metadata: oauth, jwt_validation: validation, external_auth_config: external }: McpConfigurations,
): void {
  const own = mcp.urlProblem(url);
  if (own) throw invalidInput('input.url', `url is refused: ${own}.`);
  const named: Record<string, string | undefined> = {
    'oauth_metadata.issuer': oauth?.issuer,
    'oauth_metadata.authorization_endpoint': oauth?.authorization_endpoint,
    'oauth_metadata.token_endpoint': oauth?.token_endpoint,
    'jwt_validation.jwksUri': validation?.jwksUri,
    'jwt_validation.introspectEndpoint': validation?.introspectEndpoint,
    ...addressesIn(external),
  };
  for (const [path, address] of Object.entries(named)) {
    const problem = address === undefined ? null : mcp.urlProblem(address);
    if (problem)
      throw invalidInput(`input.configurations.${path}`, `configurations.${path} is refused: ${problem}.`);
  }
}

/** Members of settings of an issuer that are addresses, whatever they are called. */
const addressesIn = (external: McpConfigurations['external_auth_config'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(external).flatMap(([name, value]) =>
      typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
        ? [[`external_auth_config.${name}`, value] as const]
        : [],
    ),
  );
