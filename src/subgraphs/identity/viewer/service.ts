import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { type MemberDocument, type MemberRole, memberModel } from '../member/index.ts';
import { userById } from '../user/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../workspace/index.ts';

/** Whoever a credential stands for, as the graph shows it. */
export type ViewerShown = Principal;

export type ViewerWorkspaceShown = Pick<WorkspaceDocument, '_id' | 'slug' | 'name'> & {
  role: MemberRole | null;
};

export function viewer({ principal }: GraphContext): ViewerShown {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  return principal;
}

/** The address of the person; null for credentials that stand for nobody. */
export async function emailOf({ kind, userId }: ViewerShown, context: GraphContext): Promise<string | null> {
  // The subject of a JWT is a name at its issuer, and no user of ours.
  if (userId === null || kind === 'jwt') return null;
  return (await userById(context).load(userId))?.email ?? null;
}

/** The first workspaces, by name, in which the credential may act; a person may choose among them. */
export async function workspacesOf(
  principal: ViewerShown,
  limit: number,
  context: GraphContext,
): Promise<ViewerWorkspaceShown[]> {
  const roles = await rolesOf(principal, context);
  const found = await orTooSlow(
    workspaceModel(context.db)
      .find(
        { organisationId: principal.organisationId, status: 'active', ...amongOf(principal, roles) },
        { slug: 1, name: 1 },
        boundedRead,
      )
      .sort({ name: 1, _id: 1 })
      .collation({ locale: 'en', strength: 2 })
      .limit(limit)
      .lean<WorkspaceDocument[]>()
      .exec(),
  );
  return found.map(({ _id, slug, name }) => ({ _id, slug, name, role: roleIn(roles, _id) }));
}

/** `everywhere` for owners and admins; null for credentials of programs. */
type Roles = ReadonlyMap<string, MemberRole> | 'everywhere' | null;

const roleIn = (roles: Roles, workspaceId: string): MemberRole | null =>
  roles === 'everywhere' ? 'admin' : (roles?.get(workspaceId) ?? null);

function amongOf({ workspaceId }: ViewerShown, roles: Roles): object {
  if (roles === 'everywhere') return {};
  if (roles !== null) return { _id: { $in: [...roles.keys()] } };
  return workspaceId === null ? {} : { _id: workspaceId };
}

async function rolesOf({ kind, id, organisationId }: ViewerShown, context: GraphContext): Promise<Roles> {
  if (kind !== 'user') return null;
  if ((await userById(context).load(id))?.role !== 'member') return 'everywhere';
  const members = await memberModel(context.db)
    .find({ organisationId, userId: id }, { workspaceId: 1, role: 1 })
    .lean<MemberDocument[]>();
  return new Map(members.map(({ workspaceId, role }) => [workspaceId, role]));
}
