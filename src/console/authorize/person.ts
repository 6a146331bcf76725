import type { Principal } from '../../auth/index.ts';
import { grantsOn } from '../../authentication/grants.ts';
import type { Directory, SignInRecord, UserRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import type { GrantHolder } from '../../mcp/oauth/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { workspaceModel } from '../../subgraphs/identity/workspace/index.ts';

/** Somebody in front of a browser, and on whose word. */
export type Person = {
  signInId: string;
  organisationId: string;
  userId: string;
  name: string;
  holder: GrantHolder;
  /** Where they may be let in. */
  reach: { kind: 'workspace'; workspaceId: string } | { kind: 'user'; user: UserRecord };
};

type PersonDirectory = Pick<Directory, 'signIns' | 'users' | 'keys'>;

/**
 * The person of a sign-in that is not over; null where it is. A service account, and a key that stands for nobody, is no
 * person.
 */
export async function personOfSignIn(
  directory: PersonDirectory,
  signIn: SignInRecord,
): Promise<Person | null> {
  const { holder, id: signInId, organisationId } = signIn;
  if (holder.kind === 'user') {
    const user = await directory.users.get(holder.userId);
    if (!user) return null;
    const { id: userId, email: name } = user;
    return { signInId, organisationId, userId, name, holder, reach: { kind: 'user', user } };
  }
  if (holder.kind !== 'key') return null;
  const key = await directory.keys.get(holder.secretHash);
  return key && personOfKey(key.principal, { signInId, holder });
}

/** Null for a key that does not let its holder call MCP servers as a user. */
export function personOfKey(
  { kind, userId, name, organisationId, workspaceId, scopes }: Principal,
  given: Pick<Person, 'signInId'> & { holder: GrantHolder },
): Person | null {
  if (kind !== 'workspace-user' || userId === null || workspaceId === null) return null;
  if (!scopes.has('mcp.invoke')) return null;
  return { ...given, organisationId, userId, name, reach: { kind: 'workspace', workspaceId } };
}

/** Whether a person has anything to do in a workspace. */
export const isIn = ({ reach }: Person, workspaceId: string): boolean =>
  reach.kind === 'workspace'
    ? reach.workspaceId === workspaceId
    : grantsOn(reach.user, workspaceId).length > 0;

/** Workspaces that are offered. */
const MAX_WORKSPACES = 200;

/** The workspaces in which a person may let clients act, by name. */
export async function workspacesOf(
  { db }: Pick<GraphContext, 'db'>,
  { organisationId, reach }: Person,
): Promise<{ id: string; name: string }[]> {
  const grants = reach.kind === 'user' ? reach.user.grants : [{ workspaceId: reach.workspaceId }];
  const ids = grants.map(({ workspaceId }) => workspaceId);
  const named = ids.filter((id) => id !== null);
  const found = await workspaceModel(db)
    .find({ organisationId, ...(!ids.includes(null) && { _id: { $in: named } }) }, { name: 1 })
    .sort({ name: 1, _id: 1 })
    .limit(MAX_WORKSPACES)
    .lean<{ _id: string; name: string }[]>();
  return found.map(({ _id: id, name }) => ({ id, name }));
}

export const noPerson = (): GatewayError =>
  new GatewayError('FORBIDDEN', {
    message:
      'MCP clients act for users: sign in with a user key of a workspace that has the scope mcp.invoke.',
  });
