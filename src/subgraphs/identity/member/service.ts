import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { referred } from '../../loading.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateMembersInput, QueryMembersArgs, UpdateMemberInput } from '../../types.generated.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { requireGivable } from '../permission.ts';
import { userIdWithEmail } from '../user/index.ts';
import { namedWorkspaceId, workspaceById } from '../workspace/index.ts';
import { ensureMembers, requireUsers } from './add.ts';
import { memberById } from './loaders.ts';
import { type MemberDocument, memberModel } from './model.ts';
import { givenByGroupsAlone, isWeaker, ownRoleOf, withOwnRole, withoutOwnRole } from './roles.ts';

type ListArguments = QueryMembersArgs & SortedPageArguments;

/** A membership by the workspace's id or slug and the user's id. */
export type MemberName = { workspaceId: string; userId: string };

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The member does not exist.' });

async function placeOf(context: GraphContext, named: string, scope: Scope) {
  const { organisationId } = requireScope(context.principal, [scope]);
  return { organisationId, workspaceId: await namedWorkspaceId(context, named) };
}

export async function getMember(
  context: GraphContext,
  { workspaceId, userId }: MemberName,
  scope: Scope = 'workspace_users.read',
): Promise<MemberDocument> {
  const place = await placeOf(context, workspaceId, scope);
  const found = await memberModel(context.db)
    .findOne({ ...place, userId })
    .lean<MemberDocument>();
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the membership is over or out of the credential's reach. */
export async function referencedMember(context: GraphContext, id: string): Promise<MemberDocument | null> {
  requireScope(context.principal, ['workspace_users.read']);
  return memberById(context).load(id);
}

export async function listMembers(context: GraphContext, args: ListArguments) {
  const place = await placeOf(context, args.workspaceId, 'workspace_users.list');
  return findPage(
    memberModel(context.db),
    {
      ...place,
      ...(args.role && { role: args.role }),
      // Nobody has a null id: an unknown address finds nothing.
      ...(args.email && { userId: await userIdWithEmail(context.db, place.organisationId, args.email) }),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

/** Answers the workspace that took the users in. */
export async function createMembers(context: GraphContext, named: string, { users }: CreateMembersInput) {
  const place = await placeOf(context, named, 'workspace_users.create');
  const ids = users.map(({ id }) => id);
  const param = (index: number) => `input.users[${index}].id`;
  await requireUsers(context, place.organisationId, ids, param);
  const principal = requireScope(context.principal, ['workspace_users.create']);
  users.forEach(({ role }, index) => {
    requireGivable(principal, `workspace_${role}`, `input.users[${index}].role`);
  });
  const present: string[] = await memberModel(context.db).distinct('userId', {
    ...place,
    userId: { $in: ids },
    $nor: [givenByGroupsAlone],
  });
  const known = ids.findIndex((id) => present.includes(id));
  if (known >= 0) {
    throw new GatewayError('ALREADY_EXISTS', {
      message: `${param(known)} names a member of the workspace.`,
      param: param(known),
    });
  }
  const { organisationId, workspaceId } = place;
  await ensureMembers(
    context,
    organisationId,
    users.map(({ id, role }) => ({ workspaceId, userId: id, role })),
  );
  await context.changes.publish('user');
  return referred(await workspaceById(context).load(place.workspaceId));
}

export async function updateMember(context: GraphContext, name: MemberName, { role }: UpdateMemberInput) {
  const member = await getMember(context, name, 'workspace_users.update');
  const { _id, organisationId, groupRole } = member;
  if (!role) return member;
  const principal = requireScope(context.principal, ['workspace_users.update']);
  requireGivable(principal, `workspace_${role}`, 'input.role');
  if (groupRole && isWeaker(role, groupRole)) {
    throw invalidInput('input.role', `input.role cannot be less than ${groupRole}, which a group gives.`);
  }
  const updated = await memberModel(context.db)
    .findOneAndUpdate({ _id, organisationId }, withOwnRole(role, context.now()), {
      returnDocument: 'after',
      updatePipeline: true,
      timestamps: false,
    })
    .lean<MemberDocument>();
  if (!updated) throw notFound();
  await context.changes.publish('user');
  return updated;
}

/**
 * The keys go first, so that a deletion that failed half-way can be repeated. What a group gives stays: only the identity
 * provider, or whoever changes the mapping, takes that away.
 */
export async function deleteMember(context: GraphContext, name: MemberName): Promise<string> {
  const member = await getMember(context, name, 'workspace_users.delete');
  const { _id, organisationId, workspaceId, userId, groupRole } = member;
  if (groupRole && ownRoleOf(member)) {
    const given = { _id, organisationId, groupRole };
    const options = { timestamps: false, updatePipeline: true } as const;
    await memberModel(context.db).updateOne(given, withoutOwnRole(context.now()), options);
    await context.changes.publish('user');
    return _id;
  }
  if (groupRole) {
    throw new GatewayError('IN_USE', {
      message: `A group gives the user the role ${groupRole} here: take the user out of the group, or delete its mapping.`,
    });
  }
  await deleteUserKeys(context, { organisationId, workspaceId, userId });
  await memberModel(context.db).deleteOne({ _id, organisationId });
  await context.changes.publish('user');
  return _id;
}
