import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateScimGroupInput, QueryScimGroupsArgs } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { endMappingsOf, grantToUsers } from '../scim-mapping/index.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { requireUsersNamed } from './input.ts';
import { scimGroupById } from './loaders.ts';
import { addToGroup, memberIdsOf, removeFromGroup } from './memberships.ts';
import { type ScimGroupDocument, scimGroupModel } from './model.ts';

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The group does not exist.' });

export const nameTaken = {
  message: 'The organisation has a group with this displayName already.',
  param: 'displayName',
};

export async function getGroup(
  context: GraphContext,
  id: string,
  scope = 'organisation_users.read',
): Promise<ScimGroupDocument> {
  requireScope(context.principal, [scope]);
  const found = await scimGroupById(context).load(id);
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the group is gone or another organisation's. */
export async function referencedGroup(context: GraphContext, id: string): Promise<ScimGroupDocument | null> {
  requireScope(context.principal, ['organisation_users.read']);
  return scimGroupById(context).load(id);
}

export async function listGroups(context: GraphContext, args: QueryScimGroupsArgs & SortedPageArguments) {
  const { organisationId } = requireScope(context.principal, ['organisation_users.list']);
  return findPage(
    scimGroupModel(context.db),
    { organisationId, ...resourceFilter(args) },
    args,
    orderOf(args.sort),
  );
}

export async function createGroup(
  context: GraphContext,
  { displayName, externalId, memberIds }: CreateScimGroupInput,
): Promise<ScimGroupDocument> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.create']);
  return usersInTurn(context, organisationId, async () => {
    const userIds = await requireUsersNamed(context, organisationId, memberIds ?? [], 'input.memberIds');
    const created = await orAlreadyExists(
      scimGroupModel(context.db).create({
        _id: uuid(),
        organisationId,
        name: displayName,
        nameKey: displayName.toLowerCase(),
        externalId: externalId ?? null,
      }),
      nameTaken,
    );
    // A group that is new has no mappings: its members get nothing yet.
    await addToGroup(context, { organisationId, groupId: created._id }, userIds);
    return created.toObject<ScimGroupDocument>();
  });
}

/** The group goes last, so that a deletion that failed half-way can be repeated. */
export async function deleteGroup(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId } = await getGroup(context, id, 'organisation_users.delete');
  return usersInTurn(context, organisationId, async () => {
    const owner = { organisationId, groupId: _id };
    await endMappingsOf(context, owner);
    for await (const userIds of memberIdsOf(context, owner)) {
      await removeFromGroup(context, owner, userIds);
      // What they had of the group has ended with its mappings, unless a deletion before this one failed in between.
      await grantToUsers(context, organisationId, userIds);
    }
    await scimGroupModel(context.db).deleteOne({ _id, organisationId });
    return _id;
  });
}
