import type { Facts } from '../../routing-config/facts.ts';
import type { Call } from './call.ts';

/** What conditions and sticky fields of a config may know of a call. */
export const factsOf = ({
  metadata,
  body,
  headers,
  path,
}: Pick<Call, 'metadata' | 'body' | 'headers' | 'path'>): Facts => ({
  metadata,
  params: body.kind === 'json' ? body.value : {},
  headers,
  pathname: `/v1${path}`,
});
