import { usable } from '../authentication/authenticate.ts';
import type { Directory } from '../directory/memory.ts';
import { GatewayError, invalidInput } from '../errors/index.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { type Client, findClient, invalidClient } from '../subgraphs/identity/access-token/index.ts';
import type { Proven, SignInTarget } from '../subgraphs/identity/sign-in/index.ts';
import { useSignInLink } from '../subgraphs/identity/sign-in-link/index.ts';

export type ProofDirectory = Pick<Directory, 'keys' | 'users' | 'accounts'>;

/** What a caller shows to be signed in. */
export type Shown = { link: string } | { key: string } | { client: Client };

const MAX_LENGTH = 512;
const members = ['link', 'key', 'client_id', 'client_secret'];

/** The one thing that a body shows; throws VALIDATION_FAILED for less, more, and anything else. */
export function readShown(body: unknown): Shown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidInput('body', `The body must be an object with ${oneOf}.`);
  const given = Object.entries(body);
  for (const [name, value] of given) {
    if (!members.includes(name)) throw invalidInput(name, `${name} is not known here: send ${oneOf}.`);
    if (typeof value !== 'string' || value === '' || value.length > MAX_LENGTH)
      throw invalidInput(name, `${name} must be a text of 1 to ${MAX_LENGTH} characters.`);
  }
  const { link, key, client_id: id, client_secret: secret } = body as Record<string, string>;
  if (link !== undefined && given.length === 1) return { link };
  if (key !== undefined && given.length === 1) return { key };
  if (id !== undefined && secret !== undefined && given.length === 2) return { client: { id, secret } };
  throw invalidInput('body', `The body must have ${oneOf}, and nothing beside it.`);
}

const oneOf = 'link, key, or client_id and client_secret';

/** Whom it stands for; throws UNAUTHENTICATED or INVALID_CLIENT for what is wrong. A link is used up by it. */
export async function prove(context: GraphContext, directory: ProofDirectory, shown: Shown): Promise<Proven> {
  if ('link' in shown) {
    const { userId } = await useSignInLink(context, shown.link);
    return provenUser(directory, userId, 'link');
  }
  return 'key' in shown
    ? proveKey(context, directory, shown.key)
    : proveClient(context, directory, shown.client);
}

/** A user who has proven to be one. */
export async function provenUser(
  directory: Pick<ProofDirectory, 'users'>,
  userId: string,
  method: 'link' | 'oidc',
): Promise<Proven> {
  const user = await directory.users.get(userId);
  if (!user)
    throw new GatewayError('UNAUTHENTICATED', {
      message: 'The user was deactivated or deleted. Ask an owner or admin of the organisation.',
    });
  const { id, email, organisationId } = user;
  return {
    principal: { kind: 'user', id, userId, name: email, organisationId },
    holder: { kind: 'user', userId },
    method,
  };
}

async function proveKey({ secrets }: GraphContext, { keys }: ProofDirectory, key: string): Promise<Proven> {
  const secretHash = secrets.hash(key);
  const { principal } = usable(await keys.get(secretHash));
  return { principal, holder: { kind: 'key', secretHash }, method: 'key' };
}

async function proveClient(
  context: GraphContext,
  { accounts }: ProofDirectory,
  client: Client,
): Promise<Proven> {
  const found = await findClient(context, client);
  if (!found?.isGenuine) throw invalidClient();
  const { _id: clientId, tsgId, secretVersion, organisationId, principal: name } = found.account;
  if (!(await accounts.get(`${clientId}/${tsgId}`)))
    throw new GatewayError('FORBIDDEN', { message: 'The service account has no role in its tenant.' });
  return {
    principal: { kind: 'service-account', id: clientId, userId: null, name, organisationId },
    holder: { kind: 'service-account', clientId, tsgId, secretVersion },
    method: 'client',
  };
}

/** Whom a proof that was refused is of; null for what belongs to nobody, such as a link that was used. */
export async function targetOf(
  context: GraphContext,
  { keys }: ProofDirectory,
  shown: Shown,
): Promise<SignInTarget | null> {
  if ('key' in shown) {
    const found = await keys.get(context.secrets.hash(shown.key));
    if (!found) return null;
    const { organisationId, id, name } = found.principal;
    return { organisationId, userId: id, userName: name, userType: 'api_key' };
  }
  if ('link' in shown) return null;
  const found = await findClient(context, shown.client);
  if (!found) return null;
  const { _id, organisationId, principal } = found.account;
  return { organisationId, userId: _id, userName: principal, userType: 'service_account' };
}
