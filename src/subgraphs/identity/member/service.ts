import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { referred } from '../../loading.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateMembersInput, QueryMembersArgs, UpdateMemberInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { userIdWithEmail } from '../user/index.ts';
import { namedWorkspaceId, workspaceById } from '../workspace/index.ts';
import { requireUsers } from './add.ts';
import { memberById } from './loaders.ts';
import { type MemberDocument, memberModel } from './model.ts';

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
  const present: string[] = await memberModel(context.db).distinct('userId', {
    ...place,
    userId: { $in: ids },
  });
  const known = ids.findIndex((id) => present.includes(id));
  if (known >= 0) {
    throw new GatewayError('ALREADY_EXISTS', {
      message: `${param(known)} names a member of the workspace.`,
      param: param(known),
    });
  }
  await orAlreadyExists(
    memberModel(context.db).insertMany(
      users.map(({ id, role }) => ({ _id: uuid(), ...place, userId: id, role })),
    ),
  );
  return referred(await workspaceById(context).load(place.workspaceId));
}

export async function updateMember(context: GraphContext, name: MemberName, { role }: UpdateMemberInput) {
  const { _id, organisationId } = await getMember(context, name, 'workspace_users.update');
  const updated = await memberModel(context.db)
    .findOneAndUpdate({ _id, organisationId }, { ...(role && { role }) }, { returnDocument: 'after' })
    .lean<MemberDocument>();
  if (!updated) throw notFound();
  return updated;
}

/** The keys go first, so that a deletion that failed half-way can be repeated. */
export async function deleteMember(context: GraphContext, name: MemberName): Promise<string> {
  const member = await getMember(context, name, 'workspace_users.delete');
  const { _id, organisationId, workspaceId, userId } = member;
  await deleteUserKeys(context, { organisationId, workspaceId, userId });
  await memberModel(context.db).deleteOne({ _id, organisationId });
  return _id;
}
