import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import {
  type Attribute,
  always,
  anyCaseText,
  exactText,
  findScimList,
  flag,
  moment,
  type ScimList,
  type ScimQuery,
} from '../scim-filter/index.ts';
import { type UserDocument, userById, userModel } from '../user/index.ts';

/** Whoever came by an invite has the address for a user name. */
const userName: Attribute = (condition) => [
  anyCaseText('userName')(condition),
  { ...anyCaseText('email')(condition), userName: null },
];

const attributes: Readonly<Record<string, Attribute>> = {
  id: exactText('_id'),
  username: userName,
  externalid: exactText('provisioned.externalId'),
  emails: anyCaseText('email'),
  'emails.value': anyCaseText('email'),
  'emails.type': always('work'),
  'emails.primary': always(true),
  active: flag({ status: { $ne: 'inactive' } }, { status: 'inactive' }),
  'meta.created': moment('createdAt'),
  'meta.lastmodified': moment('lastUpdatedAt'),
};

export async function findScimUsers(
  context: GraphContext,
  query: ScimQuery,
): Promise<ScimList<UserDocument>> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.list']);
  return findScimList(userModel(context.db), { organisationId }, attributes, query);
}

export async function findScimUser(context: GraphContext, id: string): Promise<UserDocument> {
  requireScope(context.principal, ['organisation_users.read']);
  const found = await userById(context).load(id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The user does not exist.' });
  return found;
}
