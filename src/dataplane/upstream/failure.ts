import type { UpstreamFailure } from './upstream.ts';

const unreachable =
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_ADDRESS_REFUSED|PROVIDER_UNREACHABLE)$/;

/** Errors beneath an error that are looked at. */
const MAX_CAUSES = 8;

/** What an error of a connection means; the code may stand on a cause beneath it. */
export function failureOf(error: Error, started: boolean): UpstreamFailure {
  if (started) return 'transport';
  let at: NodeJS.ErrnoException | undefined = error;
  for (let depth = 0; at && depth < MAX_CAUSES; depth++) {
    if (unreachable.test(String(at.code ?? ''))) return 'connect';
    at = at.cause as NodeJS.ErrnoException | undefined;
  }
  return 'transport';
}
