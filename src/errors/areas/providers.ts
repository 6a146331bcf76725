import { type ErrorEntry, entry } from '../entry.ts';

/** What a provider, or something that leads to it, did not do. */
export const providerErrors = {
  REQUEST_TIMEOUT: entry(408, 'AB04', 'timeout_error', null, 'The provider did not answer in time.', true),
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
  PROVIDER_ANSWER_UNREADABLE: entry(
    502,
    'AB04',
    'api_connection_error',
    'provider_answer_unreadable',
    "The headers of the provider's answer cannot be read: they are larger than 64 KB, or break the rules of HTTP.",
    true,
  ),
  SECRET_UNAVAILABLE: entry(
    503,
    'AB04',
    'api_connection_error',
    'secret_unavailable',
    "The provider's credential is not to be had from its secret manager.",
    true,
  ),
} satisfies Record<string, ErrorEntry>;
