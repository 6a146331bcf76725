import type { UpstreamFailure } from './upstream.ts';

const unreachable =
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_ADDRESS_REFUSED)$/;

/** What an error of a connection means; the code may stand on a cause beneath it. */
export function failureOf(error: Error, started: boolean): UpstreamFailure {
  if (started) return 'transport';
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (unreachable.test(String((at as NodeJS.ErrnoException).code ?? ''))) return 'connect';
  }
  return 'transport';
}
