import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, maxSkipped } from '../../page.ts';
import type { CreateScimMappingInput, QueryScimMappingsArgs } from '../../types.generated.ts';
import { requireGivable } from '../permission.ts';
import { findGroup, type ScimGroupDocument } from '../scim-group/index.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { workspaceIdFor } from '../workspace/index.ts';
import { grantToGroup } from './grant.ts';
import { scimMappingById } from './loaders.ts';
import { type ScimMappingDocument, scimMappingModel } from './model.ts';

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The mapping does not exist.' });

/** For references from other resources: null when the mapping is gone or out of the credential's reach. */
export async function referencedMapping(
  context: GraphContext,
  id: string,
): Promise<ScimMappingDocument | null> {
  requireScope(context.principal, ['organisation_settings.read']);
  return scimMappingById(context).load(id);
}

export async function listMappings(
  context: GraphContext,
  {
    workspaceId,
    scimGroupId,
    role,
    page,
    pageSize,
  }: QueryScimMappingsArgs & { page: number; pageSize: number },
) {
  const principal = requireScope(context.principal, ['organisation_settings.read']);
  if (page * pageSize > maxSkipped) {
    throw invalidInput('page', `Pages skip at most ${maxSkipped} items (page times pageSize); use filters.`);
  }
  const found = await findPage(
    scimMappingModel(context.db),
    {
      ...tenantFilter(principal),
      ...(workspaceId && { workspaceId: await workspaceIdFor(context, workspaceId) }),
      ...(scimGroupId && { groupId: scimGroupId }),
      ...(role && { role }),
    },
    { currentPage: page, pageSize },
  );
  return { ...found, page, pageSize };
}

/** Whoever repeats it gets the mapping that there is. */
export async function createMapping(
  context: GraphContext,
  input: CreateScimMappingInput,
): Promise<ScimMappingDocument> {
  const principal = requireScope(context.principal, ['organisation_settings.update']);
  requireGivable(principal, `workspace_${input.role}`, 'input.role');
  const { organisationId } = principal;
  const workspaceId = await workspaceIdFor(context, input.workspaceId);
  return usersInTurn(context, organisationId, async () => {
    const { _id: groupId, name } = await namedGroup(context, organisationId, input);
    await requireOneRole(context, { organisationId, groupId, role: input.role }, name);
    const mapping = await scimMappingModel(context.db)
      .findOneAndUpdate(
        { organisationId, groupId, workspaceId },
        { $setOnInsert: { _id: uuid(), role: input.role } },
        { upsert: true, returnDocument: 'after' },
      )
      .orFail()
      .lean<ScimMappingDocument>();
    if (mapping.isEnding) {
      throw new GatewayError('IN_USE', {
        message: 'This mapping is being deleted; delete it again before you make a new one.',
      });
    }
    await grantToGroup(context, { organisationId, groupId });
    return mapping;
  });
}

async function namedGroup(
  context: GraphContext,
  organisationId: string,
  { scimGroupId, scimGroupName }: CreateScimMappingInput,
): Promise<ScimGroupDocument> {
  if ((scimGroupId == null) === (scimGroupName == null)) {
    throw invalidInput('input.scimGroupId', 'Give exactly one of scim_group_id and scim_group_name.');
  }
  const param = scimGroupId == null ? 'input.scimGroupName' : 'input.scimGroupId';
  const named = scimGroupId == null ? { name: scimGroupName ?? '' } : { id: scimGroupId };
  const found = await findGroup(context, organisationId, named);
  if (found) return found;
  throw invalidInput(param, `${param} names no group that the identity provider has provisioned.`);
}

async function requireOneRole(
  { db }: GraphContext,
  { organisationId, groupId, role }: Pick<ScimMappingDocument, 'organisationId' | 'groupId' | 'role'>,
  name: string,
): Promise<void> {
  const other = await scimMappingModel(db)
    .findOne({ organisationId, groupId, role: { $ne: role } }, { role: 1 })
    .lean<Pick<ScimMappingDocument, 'role'>>();
  if (!other) return;
  throw new GatewayError('ALREADY_EXISTS', {
    message: `A group has one role in all of its mappings: the group ${name} is mapped as ${other.role}.`,
    param: 'input.role',
  });
}

/** It gives nothing from the mark on, and goes last: a deletion that failed half-way can be repeated. */
export async function deleteMapping(context: GraphContext, id: string): Promise<string> {
  const principal = requireScope(context.principal, ['organisation_settings.update']);
  const { organisationId } = principal;
  return usersInTurn(context, organisationId, async () => {
    const mappings = scimMappingModel(context.db);
    const ending = await mappings
      .findOneAndUpdate(
        { ...tenantFilter(principal), _id: id },
        { isEnding: true },
        { returnDocument: 'after' },
      )
      .lean<ScimMappingDocument>();
    if (!ending) throw notFound();
    await grantToGroup(context, { organisationId, groupId: ending.groupId });
    await mappings.deleteOne({ organisationId, _id: id });
    return id;
  });
}

/** Ends what a group gives, for a group that is about to be deleted. Callers hold the organisation's turn. */
export async function endMappingsOf(
  context: GraphContext,
  owner: Pick<ScimMappingDocument, 'organisationId' | 'groupId'>,
): Promise<void> {
  await scimMappingModel(context.db).updateMany(owner, { isEnding: true });
  await grantToGroup(context, owner);
  await scimMappingModel(context.db).deleteMany(owner);
}
