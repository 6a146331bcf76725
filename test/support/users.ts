import { uuid } from '../../src/lib/ids.ts';
import { type MemberDocument, memberModel } from '../../src/subgraphs/identity/member/index.ts';
import { type UserDocument, userModel } from '../../src/subgraphs/identity/user/index.ts';
import type { Tenant, TestApp } from './app.ts';

/** A user of the tenant, as an accepted invite leaves one; with a role in its workspace when `inWorkspace` says so. */
export async function addUser(
  app: TestApp,
  {
    tenant = app,
    inWorkspace,
    ...members
  }: Partial<UserDocument> & {
    tenant?: Pick<Tenant, 'organisationId' | 'workspaceId'>;
    inWorkspace?: MemberDocument['role'];
  } = {},
): Promise<UserDocument> {
  const _id = uuid();
  const { organisationId, workspaceId } = tenant;
  const user = await userModel(app.db).create({
    _id,
    organisationId,
    email: `${_id}@example.com`,
    firstName: 'Ada',
    lastName: 'Lovelace',
    role: 'member',
    ...members,
  });
  if (inWorkspace) {
    const place = { organisationId, workspaceId, userId: _id };
    await memberModel(app.db).create({ _id: uuid(), ...place, role: inWorkspace });
  }
  return user.toObject<UserDocument>();
}
