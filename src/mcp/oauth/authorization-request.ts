import { isRegistered, type OauthClient, redirectUriProblem } from './clients/index.ts';
import { OauthProblem } from './problem.ts';
import { type ProtectedResource, readResource } from './resource.ts';
import { type McpScope, readScopes } from './scopes.ts';

/** What a client asks a person for. */
export type AuthorizationRequest = {
  client: OauthClient;
  redirectUri: string;
  state: string | undefined;
  scopes: McpScope[];
  resource: ProtectedResource;
  codeChallenge: string;
  /** The client wants the person to be asked, whatever they have agreed to before. */
  asksAnew: boolean;
};

/**
 * Why a request is refused. `answerAt` is where the client hears of it; null where the address is not known to be the
 * client's, so that the person alone is told.
 */
export class AuthorizationProblem extends Error {
  readonly problem: OauthProblem;
  readonly answerAt: { redirectUri: string; state: string | undefined } | null;

  constructor(problem: OauthProblem, answerAt: AuthorizationProblem['answerAt']) {
    super(problem.message, { cause: problem });
    this.name = 'AuthorizationProblem';
    this.problem = problem;
    this.answerAt = answerAt;
  }
}

type Rules = {
  client(clientId: string): Promise<OauthClient>;
  issuer: string;
  redirectSchemes: readonly string[];
};

const MAX_STATE = 2048;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Throws a AuthorizationProblem for what is no request of a known client, or asks for what there is not. */
export async function readAuthorizationRequest(
  query: URLSearchParams,
  rules: Rules,
): Promise<AuthorizationRequest> {
  const { client, redirectUri } = await clientOf(query, rules).catch((error: unknown) => {
    throw error instanceof OauthProblem ? new AuthorizationProblem(error, null) : error;
  });
  const state = query.get('state') ?? undefined;
  try {
    requireOnce(query);
    return { client, redirectUri, state, ...wantedOf(query, rules.issuer) };
  } catch (error) {
    if (!(error instanceof OauthProblem)) throw error;
    const told = state === undefined || state.length <= MAX_STATE ? state : undefined;
    throw new AuthorizationProblem(error, { redirectUri, state: told });
  }
}

async function clientOf(query: URLSearchParams, { client: find, redirectSchemes }: Rules) {
  const client = await find(one(query, 'client_id') ?? '');
  const named = one(query, 'redirect_uri');
  const [only, ...others] = client.redirectUris;
  const redirectUri = named ?? (others.length === 0 ? only : undefined);
  if (redirectUri === undefined) throw wrong('redirect_uri is missing.');
  // The rules may have become stricter since the client registered.
  if (!isRegistered(redirectUri, client.redirectUris) || redirectUriProblem(redirectUri, redirectSchemes))
    throw wrong('redirect_uri is not one of the client.');
  return { client, redirectUri };
}

function wantedOf(query: URLSearchParams, issuer: string) {
  if (query.get('response_type') !== 'code')
    throw new OauthProblem('unsupported_response_type', 'response_type must be code.');
  const codeChallenge = query.get('code_challenge') ?? '';
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge))
    throw wrong('code_challenge with code_challenge_method=S256 is required.');
  if ((query.get('state')?.length ?? 0) > MAX_STATE)
    throw wrong(`state has at most ${MAX_STATE} characters.`);
  if (query.has('request') || query.has('request_uri'))
    throw new OauthProblem('request_not_supported', 'Requests are not taken as objects.');
  return {
    codeChallenge,
    asksAnew: query.has('prompt'),
    scopes: readScopes(query.get('scope') ?? undefined),
    resource: readResource(query.get('resource') ?? undefined, issuer),
  };
}

/** RFC 6749, section 3.1: a parameter that comes twice could mean one thing here and another elsewhere. */
function requireOnce(query: URLSearchParams): void {
  const names = [...query.keys()];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(`${twice} is given more than once.`);
}

function one(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  if (others.length > 0) throw wrong(`${name} is given more than once.`);
  return value === '' ? undefined : value;
}

const wrong = (message: string): OauthProblem => new OauthProblem('invalid_request', message);
