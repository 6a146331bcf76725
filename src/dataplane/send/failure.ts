import { GatewayError } from '../../errors/index.ts';
import type { UpstreamFailure } from './upstream.ts';

const unreachable =
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_ADDRESS_REFUSED|PROVIDER_UNREACHABLE)$/;

/** Whether there is an answer whose head is too large, or breaks a rule. Who says no `HTTP/` at all gave none. */
const isUnreadable = ({ code, name, message }: NodeJS.ErrnoException): boolean =>
  code === 'UND_ERR_HEADERS_OVERFLOW' ||
  // undici's word for a mistake that stands behind the length of the body.
  code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
  (name === 'HTTPParserError' && !message.includes('(Expected HTTP/'));

/** Errors beneath an error that are looked at. */
const MAX_CAUSES = 8;

/** What an error of a connection means; the code may stand on a cause beneath it. */
export function failureOf(error: Error, started: boolean): UpstreamFailure {
  if (started) return 'transport';
  const isUnreachable = (at: NodeJS.ErrnoException) => unreachable.test(String(at.code ?? ''));
  if (firstOf(error, isUnreachable)) return 'connect';
  return firstOf(error, isUnreadable) ? 'unreadable' : 'transport';
}

/** The other side ended the connection. */
const closed = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

export const isClosed = ({ code }: NodeJS.ErrnoException): boolean => closed.test(String(code ?? ''));

/** The refusal of an address, which a library may have wrapped in errors of its own; else the error itself. */
export function unwrappedRefusal(error: Error): Error {
  const isRefusal = (at: Error) => at instanceof GatewayError && at.code === 'INVALID_CUSTOM_HOST';
  return firstOf(error, isRefusal) ?? error;
}

/** The first of an error and its causes that is of this kind; null when none is. */
function firstOf(error: Error, isIt: (at: NodeJS.ErrnoException) => boolean): Error | null {
  let at: Error | undefined = error;
  for (let depth = 0; at && depth < MAX_CAUSES; depth++) {
    if (isIt(at)) return at;
    at = at.cause as Error | undefined;
  }
  return null;
}
