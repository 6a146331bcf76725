import { clientAuthMethods } from './clients/index.ts';
import { resourceAt } from './resource.ts';
import { mcpScopes } from './scopes.ts';

/** What the authorization server says of itself (RFC 8414). `pages`: where people sign in. */
export const serverMetadata = (issuer: string, pages: string) => ({
  issuer,
  authorization_endpoint: `${pages}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  jwks_uri: `${issuer}/oauth2/jwks`,
  scopes_supported: [...mcpScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  token_endpoint_auth_methods_supported: [...clientAuthMethods],
  token_endpoint_auth_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'],
  revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

/**
 * What a resource says of itself (RFC 9728), from its path alone: whether such a server exists, nobody learns here. Null for
 * a path at which there cannot be an MCP endpoint.
 */
export function resourceMetadata(issuer: string, path: string) {
  if (path !== '' && !resourceAt(path)) return null;
  return {
    resource: `${issuer}${path}`,
    authorization_servers: [issuer],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
  };
}
