import { type ErrorEntry, entry } from '../entry.ts';

/** What the state of a resource does not allow. */
export const resourceErrors = {
  NOT_FOUND: entry(404, 'AB08', 'not_found_error', 'not_found', 'The resource does not exist.'),
  GUARDRAIL_NOT_FOUND: entry(
    403,
    'AB03',
    'permission_error',
    'guardrail_not_found',
    'The guardrail does not exist, or the credential does not reach it.',
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
  LAST_OWNER: entry(
    409,
    'AB07',
    'conflict_error',
    'last_owner',
    'An organisation keeps an owner: hand the ownership over first.',
  ),
  IN_USE: entry(409, 'AB07', 'conflict_error', 'in_use', 'The resource is still in use.'),
  PRECONDITION_FAILED: entry(
    412,
    'AB01',
    'invalid_request_error',
    'precondition_failed',
    'The resource is not in the state that the request expects.',
  ),
} satisfies Record<string, ErrorEntry>;
