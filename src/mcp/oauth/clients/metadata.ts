import { z } from 'zod';
import { OauthProblem } from '../problem.ts';
import { type ClientAuthMethod, clientAuthMethods, type OauthClient } from './client.ts';
import { redirectUrisProblem } from './redirect-uris.ts';

const text = z.string().max(2048);

/** Members of RFC 7591 that count here; others are left aside, as the standard asks. */
const shape = z.looseObject({
  client_name: z.string().max(255).optional(),
  token_endpoint_auth_method: z.enum(clientAuthMethods).optional(),
  grant_types: z.array(text).max(10).optional(),
  response_types: z.array(text).max(10).optional(),
  jwks: z
    .object({
      keys: z
        .array(z.looseObject({ kty: z.string() }))
        .min(1)
        .max(20),
    })
    .optional(),
  jwks_uri: z
    .url({ protocol: /^https$/ })
    .max(2048)
    .optional(),
  redirect_uris: z.unknown(),
});

export type DescribedClient = Pick<OauthClient, 'name' | 'redirectUris' | 'authMethod' | 'jwks' | 'jwksUri'>;

const wrong = (message: string): OauthProblem => new OauthProblem('invalid_client_metadata', message);

/** What a client says of itself. Throws an OauthProblem for what no client here may be. */
export function readClientMetadata(
  given: unknown,
  schemes: readonly string[],
  otherwise: ClientAuthMethod,
): DescribedClient {
  const parsed = shape.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(`${issue?.path.join('.') || 'The description'} is not valid: ${issue?.message ?? ''}.`);
  }
  const { data } = parsed;
  const problem = redirectUrisProblem(data.redirect_uris, schemes);
  if (problem !== null) throw new OauthProblem('invalid_redirect_uri', problem);
  if (data.grant_types && !data.grant_types.includes('authorization_code'))
    throw wrong('grant_types must have authorization_code.');
  if (data.response_types && !data.response_types.includes('code'))
    throw wrong('response_types must have code.');
  const authMethod = data.token_endpoint_auth_method ?? otherwise;
  if (authMethod === 'private_key_jwt' && (data.jwks === undefined) === (data.jwks_uri === undefined))
    throw wrong('private_key_jwt needs one of jwks and jwks_uri.');
  if (data.jwks?.keys.some((key) => 'd' in key || 'k' in key))
    throw wrong('jwks must hold public keys alone.');
  return {
    // Shown to people: characters that nobody sees could make it look like another.
    name: data.client_name?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() || null,
    redirectUris: data.redirect_uris as string[],
    authMethod,
    jwks: data.jwks ?? null,
    jwksUri: data.jwks_uri ?? null,
  };
}
