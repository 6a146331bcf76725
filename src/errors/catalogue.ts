/**
 * Every error that Sluice raises itself, once: HTTP status, public message, whether a client may try again, and the
 * names it carries on the wire. `type` and `code` are the OpenAI-like pair of inference answers; `adminCode` is the
 * code of administration answers (AB01..AB09, spec/administration, "Conventions").
 */
export type ErrorEntry = {
  status: number;
  message: string;
  type: string;
  code: string | null;
  adminCode: string;
  retryable: boolean;
};

const entry = (
  status: number,
  adminCode: string,
  type: string,
  code: string | null,
  message: string,
  retryable = false,
): ErrorEntry => ({ status, adminCode, type, code, message, retryable });

/** What a request may not bring along where only saved configs and providers are used (spec/data-plane.md, section 2.9). */
const inlineBlocked = (code: string, message: string): ErrorEntry =>
  entry(400, 'AB01', 'invalid_request_error', code, message);

export const catalogue = {
  VALIDATION_FAILED: entry(400, 'AB01', 'invalid_request_error', null, 'The request is not valid.'),
  UNKNOWN_PARAMETER: entry(
    400,
    'unknown_parameter',
    'invalid_request_error',
    'unknown_parameter',
    'Unknown parameter.',
  ),
  MALFORMED_BODY: entry(
    400,
    'AB01',
    'invalid_request_error',
    'malformed_body',
    'The request body is not valid JSON.',
  ),
  DOCUMENT_NOT_TRUSTED: entry(
    400,
    'AB01',
    'invalid_request_error',
    'document_not_trusted',
    'Only the trusted documents of this gateway may run, named by their SHA-256.',
  ),
  INVALID_CONFIG: entry(
    400,
    'AB01',
    'invalid_request_error',
    'invalid_config',
    'The gateway config is not valid.',
  ),
  INVALID_CUSTOM_HOST: entry(
    400,
    'AB01',
    'invalid_request_error',
    'invalid_custom_host',
    'The custom host is not allowed.',
  ),
  PROVIDER_REQUIRED: entry(
    400,
    'AB01',
    'invalid_request_error',
    'provider_required',
    'No provider was named.',
  ),
  UNKNOWN_PROVIDER: entry(
    400,
    'AB01',
    'invalid_request_error',
    'unknown_provider',
    'The provider is not known.',
  ),
  UNSUPPORTED_ENDPOINT: entry(
    400,
    'AB01',
    'invalid_request_error',
    'unsupported_endpoint',
    'The provider does not have this endpoint.',
  ),
  CONFIG_OVERRIDE_FORBIDDEN: entry(
    400,
    'AB01',
    'invalid_request_error',
    'config_override_forbidden',
    'This API key does not allow a config on the request.',
  ),
  INLINE_CONFIG_BLOCKED: inlineBlocked('inline_config_blocked', 'Name a saved config by its slug.'),
  INLINE_PROVIDER_BLOCKED: inlineBlocked(
    'inline_provider_blocked',
    'Name a provider of the workspace as @slug.',
  ),
  INLINE_CUSTOM_HOST_BLOCKED: inlineBlocked(
    'inline_custom_host_blocked',
    'A request may not name a custom host.',
  ),
  INLINE_PROVIDER_URL_BLOCKED: inlineBlocked(
    'inline_provider_url_blocked',
    "A request may not choose the provider's address.",
  ),
  INLINE_FORWARD_HEADERS_BLOCKED: inlineBlocked(
    'inline_forward_headers_blocked',
    'A request may not list headers to forward.',
  ),
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
  NOT_FOUND: entry(404, 'AB08', 'not_found_error', 'not_found', 'The resource does not exist.'),
  METHOD_NOT_ALLOWED: entry(
    405,
    'AB01',
    'invalid_request_error',
    'method_not_allowed',
    'This path does not take that method.',
  ),
  REQUEST_TIMEOUT: entry(408, 'AB04', 'timeout_error', null, 'The provider did not answer in time.', true),
  OPERATION_TIMEOUT: entry(
    504,
    'AB04',
    'timeout_error',
    'operation_timeout',
    'The operation took too long and was given up.',
    true,
  ),
  ALREADY_EXISTS: entry(
    409,
    'AB07',
    'conflict_error',
    'already_exists',
    'A resource with this name already exists.',
  ),
  IN_PROGRESS: entry(
    409,
    'AB07',
    'conflict_error',
    'in_progress',
    'Another request for the same is still running.',
    true,
  ),
  IN_USE: entry(409, 'AB07', 'conflict_error', 'in_use', 'The resource is still in use.'),
  PRECONDITION_FAILED: entry(
    412,
    'AB01',
    'invalid_request_error',
    'precondition_failed',
    'The resource is not in the state that the request expects.',
  ),
  BODY_TOO_LARGE: entry(
    413,
    'AB01',
    'invalid_request_error',
    'body_too_large',
    'The request body is too large.',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'AB01',
    'invalid_request_error',
    'unsupported_media_type',
    'The content type is not supported.',
  ),
  UPGRADE_REQUIRED: entry(
    426,
    'AB01',
    'invalid_request_error',
    'upgrade_required',
    'This path takes WebSocket connections only.',
  ),
  IDEMPOTENCY_KEY_REUSED: entry(
    422,
    'AB01',
    'invalid_request_error',
    'idempotency_key_reused',
    'This Idempotency-Key came with another request before.',
  ),
  TOO_MANY_FAILURES: entry(
    429,
    'AB06',
    'rate_limit_error',
    'too_many_failures',
    'Too many requests came with wrong credentials.',
    true,
  ),
  TOO_MANY_SUBSCRIPTIONS: entry(
    429,
    'AB04',
    'rate_limit_error',
    'too_many_subscriptions',
    'The credential has too many open connections or subscriptions.',
    true,
  ),
  TOO_MANY_BODIES: entry(
    429,
    'AB06',
    'rate_limit_error',
    'too_many_bodies',
    'The gateway already holds as many bytes of request bodies of this caller as it may.',
    true,
  ),
  BODIES_FULL: entry(
    503,
    'AB04',
    'api_error',
    'bodies_full',
    'The gateway already holds as many bytes of request bodies as it may.',
    true,
  ),
  TOO_MANY_OPEN_CALLS: entry(
    429,
    'AB06',
    'rate_limit_error',
    'too_many_open_calls',
    'The credential has too many open calls.',
    true,
  ),
  LOOP_DETECTED: entry(
    508,
    'AB04',
    'api_error',
    'loop_detected',
    'The request came through too many gateways: a custom host among them leads back to where it came from.',
  ),
  GATEWAY_BUSY: entry(
    503,
    'AB04',
    'api_error',
    'gateway_busy',
    'The gateway has as many open calls as it can hold.',
    true,
  ),
  EVENTS_MISSED: entry(
    503,
    'AB04',
    'api_error',
    'events_missed',
    'The subscription has missed events and ended. Subscribe again.',
    true,
  ),
  PROVIDER_UNREACHABLE: entry(
    503,
    'AB04',
    'api_connection_error',
    'provider_unreachable',
    'The provider could not be reached.',
    true,
  ),
  PROVIDER_CONNECTION_FAILED: entry(
    500,
    'AB04',
    'api_connection_error',
    'provider_connection_failed',
    'The connection to the provider failed.',
    true,
  ),
  STOPPING: entry(503, 'AB04', 'api_error', 'stopping', 'This instance is stopping.', true),
  STORE_UNAVAILABLE: entry(
    503,
    'AB04',
    'api_error',
    'store_unavailable',
    'The database does not answer.',
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
  SUBGRAPH_ERROR: entry(
    502,
    'AB04',
    'api_error',
    'subgraph_error',
    'A remote subgraph answered with an error.',
  ),
  SUBGRAPH_UNAVAILABLE: entry(
    503,
    'AB04',
    'api_error',
    'subgraph_unavailable',
    'A remote subgraph does not answer.',
    true,
  ),
  INTERNAL: entry(
    500,
    'AB04',
    'api_error',
    'internal_error',
    'Something went wrong inside the gateway.',
    true,
  ),
} satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof catalogue;
