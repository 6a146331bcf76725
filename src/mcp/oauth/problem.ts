/** Why a request of OAuth is refused, as RFC 6749 (section 5.2) and its extensions name it. */
export class OauthProblem extends Error {
  /** Such as `invalid_grant`. */
  readonly code: string;
  readonly status: number;
  /** Seconds after which the caller may come again; null where that changes nothing. */
  readonly retryAfter: number | null;

  constructor(code: string, message: string, given: { status?: number; retryAfter?: number } = {}) {
    super(message);
    this.name = 'OauthProblem';
    this.code = code;
    this.status = given.status ?? 400;
    this.retryAfter = given.retryAfter ?? null;
  }
}

export const invalidRequest = (message: string): OauthProblem => new OauthProblem('invalid_request', message);

/** One sentence for everything that is wrong with a code or a token: whoever guesses learns nothing. */
export const invalidGrant = (): OauthProblem =>
  new OauthProblem('invalid_grant', 'The code or refresh token is not valid, was used, or is over.');

export const invalidTarget = (): OauthProblem =>
  new OauthProblem('invalid_target', 'resource must be the address of an MCP server of this gateway.');

export const unknownClient = (): OauthProblem =>
  new OauthProblem('invalid_client', 'The client is not known, or did not prove to be it.', { status: 401 });

/** A text as an error description may have it: printable ASCII without quotation marks and backslashes. */
export const describable = (text: string): string => text.replace(/[^\x20-\x7e]|["\\]/g, ' ');
