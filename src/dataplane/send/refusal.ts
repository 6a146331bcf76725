import { GatewayError } from '../../errors/index.ts';
import { errorBodyFor } from '../../formats/index.ts';
import type { DialectAnswer, Endpoint } from '../../providers/index.ts';

/**
 * What the gateway's own code for a provider says against a request, as that provider's answer: to retries and strategies
 * it is the same who found the mistake. Throws what is no such refusal; a service that the code needed and that does not
 * answer then counts as a provider that cannot be reached. A secret manager is none of these: the caller is told about it.
 */
export function refusalOf(error: unknown, endpoint: Endpoint): DialectAnswer {
  if (!(error instanceof GatewayError)) throw error;
  const { status } = error.entry;
  if (status >= 500 && error.code !== 'SECRET_UNAVAILABLE') throw new Error(error.message, { cause: error });
  const body = Buffer.from(JSON.stringify(errorBodyFor(endpoint, error)));
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return { status, headers, body };
}
