import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryUsersArgs, UpdateUserInput } from '../../types.generated.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { memberModel, removeMembers } from '../member/index.ts';
import { userById } from './loaders.ts';
import { type UserDocument, userModel } from './model.ts';

type ListArguments = QueryUsersArgs & SortedPageArguments;

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The user does not exist.' });

export async function getUser(
  context: GraphContext,
  id: string,
  scope = 'organisation_users.read',
): Promise<UserDocument> {
  requireScope(context.principal, [scope]);
  const found = await userById(context).load(id);
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the user is gone or another organisation's. */
export async function referencedUser(context: GraphContext, id: string): Promise<UserDocument | null> {
  requireScope(context.principal, ['organisation_users.read']);
  return userById(context).load(id);
}

export async function listUsers(context: GraphContext, args: ListArguments) {
  const { organisationId } = requireScope(context.principal, ['organisation_users.list']);
  return findPage(
    userModel(context.db),
    {
      organisationId,
      ...(args.role && { role: args.role }),
      ...(args.email && { email: args.email.toLowerCase() }),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

export async function updateUser(context: GraphContext, id: string, input: UpdateUserInput) {
  const { _id, organisationId, role } = await getUser(context, id, 'organisation_users.update');
  if (role === 'owner' && input.role) {
    throw new GatewayError('FORBIDDEN', {
      message: 'The role of an owner cannot change.',
      param: 'input.role',
    });
  }
  const updated = await userModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId, ...(input.role && { role: { $ne: 'owner' as const } }) },
      { ...(input.role && { role: input.role }) },
      { returnDocument: 'after' },
    )
    .lean<UserDocument>();
  if (!updated) throw notFound();
  if (input.role === 'member') await endKeysElsewhere(context, updated);
  return updated;
}

/** An admin may have keys in every workspace, a member in those that took him in. */
async function endKeysElsewhere(context: GraphContext, { _id, organisationId }: UserDocument): Promise<void> {
  const owner = { organisationId, userId: _id };
  const workspaceIds: string[] = await memberModel(context.db).distinct('workspaceId', owner);
  await deleteUserKeys(context, { ...owner, workspaceId: { $nin: workspaceIds } });
}

/** What the user had goes first, so that a deletion that failed half-way can be repeated. */
export async function deleteUser(context: GraphContext, id: string): Promise<string> {
  const user = await getUser(context, id, 'organisation_users.delete');
  const { _id, organisationId } = user;
  if (user.role === 'owner') await requireAnotherOwner(context, user);
  await deleteUserKeys(context, { organisationId, userId: _id });
  await removeMembers(context, { organisationId, userId: _id });
  await userModel(context.db).deleteOne({ _id, organisationId });
  return _id;
}

async function requireAnotherOwner(context: GraphContext, { _id, organisationId }: UserDocument) {
  const other = { organisationId, role: 'owner' as const, _id: { $ne: _id } };
  if (await userModel(context.db).exists(other)) return;
  throw new GatewayError('FORBIDDEN', { message: 'The last owner of an organisation cannot be deleted.' });
}
