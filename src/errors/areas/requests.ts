import { type ErrorEntry, entry } from '../entry.ts';

/** What is wrong with a request by itself, whoever sends it. */
export const requestErrors = {
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
  METHOD_NOT_ALLOWED: entry(
    405,
    'AB01',
    'invalid_request_error',
    'method_not_allowed',
    'This path does not take that method.',
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
  RANGE_NOT_SATISFIABLE: entry(
    416,
    'AB01',
    'invalid_request_error',
    'range_not_satisfiable',
    'The content has no bytes in the range that was asked for.',
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
} satisfies Record<string, ErrorEntry>;
