import { RE2JS, RE2JSException } from 're2js';
import { ConfigurationProblem } from './parse.ts';
import type { McpConfigurations } from './schema.ts';

/** How the gateway proves itself to an MCP server, as the API names it. */
export type McpAuthType = 'oauth_auto' | 'oauth_client_credentials' | 'headers' | 'none';

/**
 * Throws a ConfigurationProblem where settings do not fit each other, or the way in which the gateway proves itself.
 * `filled`: places whose values come from secret managers.
 */
export function requireCoherent(
  authType: McpAuthType,
  configurations: McpConfigurations,
  filled: ReadonlySet<string>,
): void {
  requireCredential(authType, configurations, filled);
  requireOneKeySource(configurations);
  requireLinearPatterns(configurations);
  requireAudience(configurations);
  requireOneCaller(configurations);
}

function requireCredential(
  authType: McpAuthType,
  { headers, oauth_metadata: oauth }: McpConfigurations,
  filled: ReadonlySet<string>,
): void {
  const anyHeader =
    Object.keys(headers ?? {}).length > 0 || [...filled].some((path) => path.startsWith('headers.'));
  if (authType === 'headers' && !anyHeader)
    throw new ConfigurationProblem(
      'headers',
      'is required with the auth_type headers, such as {"X-Api-Key": "…"}',
    );
  if (authType !== 'oauth_client_credentials') return;
  for (const member of ['client_id', 'client_secret'] as const) {
    if (oauth?.[member] || filled.has(`oauth_metadata.${member}`)) continue;
    throw new ConfigurationProblem(
      `oauth_metadata.${member}`,
      'is required with the auth_type oauth_client_credentials',
    );
  }
}

const keySources = ['jwksUri', 'jwks', 'introspectEndpoint'] as const;

function requireOneKeySource({ jwt_validation: rules }: McpConfigurations): void {
  if (!rules) return;
  const given = keySources.filter((member) => rules[member] !== undefined);
  if (given.length !== 1)
    throw new ConfigurationProblem('jwt_validation', `needs exactly one of ${keySources.join(', ')}`);
}

/** A pattern runs on what callers send, so that its time must grow with the text alone. */
function requireLinearPatterns({ jwt_validation: rules }: McpConfigurations): void {
  for (const [claim, { values, matchType }] of Object.entries(rules?.claimValues ?? {})) {
    if (matchType !== 'regex') continue;
    for (const pattern of [values].flat())
      requireLinear(pattern, `jwt_validation.claimValues.${claim}.values`);
  }
}

function requireLinear(pattern: string, path: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ConfigurationProblem(
      path,
      'is no regular expression of RE2, which has no look-around and no references',
    );
  }
}

/** A token of somebody else goes on to a server only where it says for whom it was made. */
function requireAudience({
  user_identity_forwarding: forwarding,
  jwt_validation: rules,
}: McpConfigurations): void {
  if (forwarding?.method !== 'bearer' || rules?.claimValues?.aud) return;
  throw new ConfigurationProblem(
    'user_identity_forwarding.method',
    'is bearer, which needs jwt_validation.claimValues.aud: only tokens made for the server may go there',
  );
}

/** Requests share a session only where their credential alone says who sends them. */
function requireOneCaller(configurations: McpConfigurations): void {
  if (configurations.session_affinity !== 'principal') return;
  const other = (['jwt_validation', 'forward_headers'] as const).find(
    (name) => configurations[name] !== undefined,
  );
  if (other === undefined) return;
  throw new ConfigurationProblem(
    'session_affinity',
    `must be request beside ${other}: people who share a credential would share a session`,
  );
}
