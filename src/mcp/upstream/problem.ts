/** What can be wrong on the way to an MCP server. */
export type UpstreamFault =
  | 'address'
  | 'connect'
  | 'tls'
  | 'http'
  | 'not_mcp'
  | 'unauthorized'
  | 'timeout'
  | 'too_large'
  | 'refused'
  | 'credential';

/** Why an MCP server gave no answer that can be used. The message is for administrators: it repeats nothing that the server said. */
export class UpstreamProblem extends Error {
  readonly fault: UpstreamFault;
  /** The HTTP status of the answer; null where there was none. */
  readonly status: number | null;

  constructor(fault: UpstreamFault, message: string, given: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: given.cause });
    this.name = 'UpstreamProblem';
    this.fault = fault;
    this.status = given.status ?? null;
  }
}

const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_)/;

/** A failed request to an MCP server, in the words of the gateway. */
export function problemOf(error: unknown): UpstreamProblem {
  if (error instanceof UpstreamProblem) return error;
  const { name } = error as Error;
  if (name === 'TimeoutError' || name === 'AbortError')
    return new UpstreamProblem('timeout', 'timeout', { cause: error });
  const cause = ((error as Error).cause ?? error) as { code?: unknown; name?: unknown };
  const code = typeof cause.code === 'string' ? cause.code : '';
  if (code === 'ERR_ADDRESS_REFUSED' || code === 'INVALID_CUSTOM_HOST')
    return new UpstreamProblem('address', 'address not allowed', { cause: error });
  if (cause.name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return new UpstreamProblem('timeout', 'timeout', { cause: error });
  if (TLS.test(code)) return new UpstreamProblem('tls', 'TLS failed', { cause: error });
  return new UpstreamProblem('connect', 'cannot connect', { cause: error });
}

/** What an HTTP status says that is no answer of the protocol. */
export function statusProblem(status: number): UpstreamProblem {
  if (status === 401 || status === 403)
    return new UpstreamProblem('unauthorized', 'unauthorized (sign-in or credentials needed)', { status });
  return new UpstreamProblem('http', `HTTP ${status}`, { status });
}

export const notMcp = (status?: number): UpstreamProblem =>
  new UpstreamProblem('not_mcp', 'not an MCP server', status === undefined ? {} : { status });

export const tooLarge = (): UpstreamProblem =>
  new UpstreamProblem('too_large', 'the answer is larger than the gateway takes');
