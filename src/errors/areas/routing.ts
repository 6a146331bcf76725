import { type ErrorEntry, entry } from '../entry.ts';

/** What a request may not bring along where only saved configs and providers are used. */
const inlineBlocked = (code: string, message: string): ErrorEntry =>
  entry(400, 'AB01', 'invalid_request_error', code, message);

/** What is wrong with the config or the provider that a call names. */
export const routingErrors = {
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
  GUARDRAIL_DENIED: entry(446, 'AB01', 'hooks_failed', null, 'A guardrail refuses the call.'),
  GUARDRAIL_BROKEN: entry(
    500,
    'AB04',
    'api_error',
    'guardrail_broken',
    'A guardrail that is enforced on the call cannot be run.',
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
  LOOP_DETECTED: entry(
    508,
    'AB04',
    'api_error',
    'loop_detected',
    'The request came through too many gateways: a custom host among them leads back to where it came from.',
  ),
} satisfies Record<string, ErrorEntry>;
