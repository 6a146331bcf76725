import type { Principal } from '../../auth/index.ts';
import type { Directory, UserRecord, WorkspaceRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { grantsOn, rightsIn } from '../grants.ts';
import { whenKnown } from '../tokens/verifier.ts';

/** Ids and slugs are shorter: a longer name is not worth remembering. */
const MAX_NAME = 100;

/**
 * The workspace that a person's request is about: the one that it names by id or slug, else the only one that has taken
 * the person in. Null for owners and admins who name none, and for members of several workspaces, who may do nothing
 * until they name one.
 */
export function workspaceOfPerson(
  user: UserRecord,
  asked: string | null,
  workspaces: Directory['workspaces'],
): WorkspaceRecord | null | Promise<WorkspaceRecord | null> {
  const name = asked ?? onlyWorkspaceOf(user);
  if (name === null) return null;
  const found = name.length > MAX_NAME ? null : workspaces.get(`${user.organisationId}/${name}`);
  return whenKnown(found, (workspace) => {
    if (workspace && grantsOn(user, workspace.id).length > 0) return workspace;
    // The same answer for a workspace that does not exist, for another organisation's, and for one that has not taken the
    // person in.
    throw new GatewayError('FORBIDDEN', {
      message: 'x-gateway-workspace-id names no workspace in which you have a role.',
      param: 'x-gateway-workspace-id',
    });
  });
}

function onlyWorkspaceOf({ grants }: UserRecord): string | null {
  const [only, ...others] = new Set(grants.map(({ workspaceId }) => workspaceId));
  return others.length === 0 ? (only ?? null) : null;
}

/** The person in a workspace, or in the whole organisation. */
export function personIn(user: UserRecord, workspace: WorkspaceRecord | null): Principal {
  const workspaceId = workspace?.id ?? null;
  return {
    kind: 'user',
    id: user.id,
    name: user.email,
    organisationId: user.organisationId,
    workspaceId,
    userId: user.id,
    ...(user.tsgId !== null && { tsgId: user.tsgId }),
    ...rightsIn(user, workspace),
    metadata: workspace?.metadata ?? {},
  };
}
