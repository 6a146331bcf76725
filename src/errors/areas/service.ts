import { type ErrorEntry, entry } from '../entry.ts';

/** What the service cannot do now, though the request is right. */
export const serviceErrors = {
  OPERATION_TIMEOUT: entry(
    504,
    'AB04',
    'timeout_error',
    'operation_timeout',
    'The operation took too long and was given up.',
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
  STARTING: entry(503, 'AB04', 'api_error', 'starting', 'This instance is starting.', true),
  STOPPING: entry(503, 'AB04', 'api_error', 'stopping', 'This instance is stopping.', true),
  STORE_UNAVAILABLE: entry(
    503,
    'AB04',
    'api_error',
    'store_unavailable',
    'The database does not answer.',
    true,
  ),
  STORE_FULL: entry(
    507,
    'AB04',
    'api_error',
    'store_full',
    'The disk of the store is full, so nothing was changed. Reads and inference go on.',
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
