import { type ErrorEntry, entry } from '../entry.ts';

/** What is wrong with a credential, or with what it may do. */
export const credentialErrors = {
  UNAUTHENTICATED: entry(
    401,
    'AB05',
    'authentication_error',
    'invalid_api_key',
    'The API key is missing or not valid.',
  ),
  INVALID_AUTHORISATION: entry(
    401,
    'AB05',
    'authentication_error',
    'invalid_authorisation',
    'The authorisation code is not valid.',
  ),
  INVALID_CLIENT: entry(
    401,
    'AB05',
    'authentication_error',
    'invalid_client',
    'The client is not known, or its secret is wrong.',
  ),
  UNSUPPORTED_GRANT_TYPE: entry(
    400,
    'AB01',
    'invalid_request_error',
    'unsupported_grant_type',
    'grant_type must be client_credentials.',
  ),
  INVALID_SCOPE: entry(
    400,
    'AB01',
    'invalid_request_error',
    'invalid_scope',
    'scope must be tsg_id:<tsg_id>, with the id of a tenant that the client may ask for.',
  ),
  UNAUTHORIZED_CLIENT: entry(
    400,
    'AB01',
    'invalid_request_error',
    'unauthorized_client',
    'The client has no role in this tenant.',
  ),
  FORBIDDEN: entry(
    403,
    'AB03',
    'permission_error',
    'forbidden',
    'The credential does not allow this operation.',
  ),
  TOO_MANY_FAILURES: entry(
    429,
    'AB06',
    'rate_limit_error',
    'too_many_failures',
    'Too many requests came with wrong credentials.',
    true,
  ),
  ISSUER_UNAVAILABLE: entry(
    503,
    'AB04',
    'api_error',
    'issuer_unavailable',
    "The keys of the token's issuer cannot be fetched.",
    true,
  ),
} satisfies Record<string, ErrorEntry>;
