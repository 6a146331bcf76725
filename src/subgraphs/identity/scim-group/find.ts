import { requireScope } from '../../../auth/index.ts';
import type { GraphContext } from '../../context.ts';
import {
  type Attribute,
  anyCaseText,
  exactText,
  findScimList,
  invalidFilter,
  moment,
  type ScimList,
  type ScimQuery,
} from '../scim-filter/index.ts';
import { membershipsOf } from './memberships.ts';
import { type ScimGroupDocument, scimGroupModel } from './model.ts';

/** The groups of a user: `members eq "<id>"`. */
const memberIn =
  (context: GraphContext, organisationId: string): Attribute =>
  async ({ path, op, value }) => {
    if (op !== 'eq' || typeof value !== 'string')
      throw invalidFilter(`A filter can say eq of ${path}, with an id.`);
    const memberships = await membershipsOf(context, organisationId, [value]);
    return { _id: { $in: memberships.map(({ groupId }) => groupId) } };
  };

export async function findScimGroups(
  context: GraphContext,
  query: ScimQuery,
): Promise<ScimList<ScimGroupDocument>> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.list']);
  const members = memberIn(context, organisationId);
  const attributes: Readonly<Record<string, Attribute>> = {
    id: exactText('_id'),
    displayname: anyCaseText('nameKey'),
    externalid: exactText('externalId'),
    members,
    'members.value': members,
    'meta.created': moment('createdAt'),
    'meta.lastmodified': moment('lastUpdatedAt'),
  };
  return findScimList(scimGroupModel(context.db), { organisationId }, attributes, query);
}
