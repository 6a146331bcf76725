import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryUsersArgs, UpdateUserInput } from '../../types.generated.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { memberModel, removeMembers } from '../member/index.ts';
import { requireGivable } from '../permission.ts';
import { removeFromGroups } from '../scim-group/index.ts';
import { endSignIns } from '../sign-in/index.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { hasOtherAdministrator } from './administrators.ts';
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
  const user = await getUser(context, id, 'organisation_users.update');
  const change = () => changeRole(context, user, input);
  const updated = await (user.role === 'owner' && input.role
    ? usersInTurn(context, user.organisationId, async () => {
        await requireAnotherOwner(context, user);
        return change();
      })
    : change());
  await context.changes.publish('user');
  if (input.role === 'member') await endKeysElsewhere(context, updated);
  return updated;
}

async function changeRole(
  { db, principal }: GraphContext,
  { _id, organisationId, role: before }: UserDocument,
  { role }: UpdateUserInput,
): Promise<UserDocument> {
  const holder = requireScope(principal, ['organisation_users.update']);
  if (role && role !== before) requireGivable(holder, `organisation_${role}`, 'input.role');
  const updated = await userModel(db)
    // A user who has become an owner meanwhile is left one.
    .findOneAndUpdate(
      { _id, organisationId, ...(role && { role: before }) },
      { ...(role && { role }) },
      after,
    )
    .lean<UserDocument>();
  if (!updated) throw notFound();
  return updated;
}

const after = { returnDocument: 'after' } as const;

/** An admin may have keys in every workspace, a member in those that took him in. */
export async function endKeysElsewhere(
  context: GraphContext,
  { _id, organisationId }: UserDocument,
): Promise<void> {
  const owner = { organisationId, userId: _id };
  const workspaceIds: string[] = await memberModel(context.db).distinct('workspaceId', owner);
  await deleteUserKeys(context, { ...owner, workspaceId: { $nin: workspaceIds } });
}

/** What the user had goes first, so that a deletion that failed half-way can be repeated. */
export async function deleteUser(context: GraphContext, id: string): Promise<string> {
  const user = await getUser(context, id, 'organisation_users.delete');
  const { _id, organisationId } = user;
  return usersInTurn(context, organisationId, async () => {
    await requireAnotherOwner(context, user);
    await deleteUserKeys(context, { organisationId, userId: _id });
    await removeFromGroups(context, organisationId, _id);
    await removeMembers(context, { organisationId, userId: _id });
    await endSignIns(context, { organisationId, userId: _id });
    await userModel(context.db).deleteOne({ _id, organisationId });
    await context.changes.publish('user');
    return _id;
  });
}

/** Throws LAST_OWNER for an owner beside whom there is no other one who is active. */
async function requireAnotherOwner(context: GraphContext, user: UserDocument): Promise<void> {
  if (user.role !== 'owner' || (await hasOtherAdministrator(context, user))) return;
  throw new GatewayError('LAST_OWNER');
}
