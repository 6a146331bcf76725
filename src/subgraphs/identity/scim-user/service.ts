import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateScimUserInput, UpdateScimUserInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { grantToUsers } from '../scim-mapping/index.ts';
import { endSignIns } from '../sign-in/index.ts';
import { hasOtherAdministrator, type UserDocument, userById, userModel, userNameOf } from '../user/index.ts';
import { usersInTurn } from '../users-in-turn.ts';

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The user does not exist.' });

const nameTaken = {
  message: 'A user of the organisation has this userName or this email address already.',
  param: 'userName',
};

/** Throws ALREADY_EXISTS for a user name or an address that a user of the organisation has, from wherever that user came. */
export async function createScimUser(
  context: GraphContext,
  { userName, email, firstName, lastName, displayName, externalId, status }: CreateScimUserInput,
): Promise<UserDocument> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.create']);
  return usersInTurn(context, organisationId, async () => {
    await requireFreeName(context, organisationId, userName);
    const created = await orAlreadyExists(
      userModel(context.db).create({
        _id: uuid(),
        organisationId,
        email: email.toLowerCase(),
        userName: userName.toLowerCase(),
        firstName,
        lastName,
        role: 'member',
        ...(status === 'inactive' && { status }),
        provisioned: { userName, displayName: displayName ?? null, externalId: externalId ?? null },
      }),
      nameTaken,
    );
    return created.toObject<UserDocument>();
  });
}

/** Whoever came by an invite has the address for a user name, which no index knows. */
async function requireFreeName(
  { db }: GraphContext,
  organisationId: string,
  userName: string,
  self?: string,
): Promise<void> {
  const other = { organisationId, email: userName.toLowerCase(), userName: null, _id: { $ne: self } };
  if (await userModel(db).exists(other)) throw new GatewayError('ALREADY_EXISTS', nameTaken);
}

/**
 * What follows from the status is done each time that it is given, not only when it changes: whoever repeats a
 * deactivation that failed half-way completes it.
 */
export async function updateScimUser(
  context: GraphContext,
  id: string,
  input: UpdateScimUserInput,
): Promise<UserDocument> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.update']);
  return usersInTurn(context, organisationId, async () => {
    const user = await userById(context).load(id);
    if (!user) throw notFound();
    if (input.userName != null) await requireFreeName(context, organisationId, input.userName, id);
    if (input.status === 'inactive') await requireReplaceable(context, user);
    const updated = await orAlreadyExists(
      userModel(context.db)
        .findOneAndUpdate({ _id: id, organisationId }, changesOf(user, input), { returnDocument: 'after' })
        .lean<UserDocument>()
        .exec(),
      nameTaken,
    );
    if (!updated) throw notFound();
    if (input.status === 'inactive') {
      await deleteUserKeys(context, { organisationId, userId: id });
      await endSignIns(context, { organisationId, userId: id });
    }
    if (input.status) await grantToUsers(context, organisationId, [id]);
    await context.changes.publish('user');
    return updated;
  });
}

async function requireReplaceable(context: GraphContext, user: UserDocument): Promise<void> {
  if (await hasOtherAdministrator(context, user)) return;
  throw new GatewayError('IN_USE', {
    message: `The last active ${user.role} of an organisation cannot be deactivated.`,
    param: 'input.status',
  });
}

function changesOf(user: UserDocument, input: UpdateScimUserInput): Partial<UserDocument> {
  const { email, firstName, lastName, status } = input;
  return {
    ...(email != null && { email: email.toLowerCase() }),
    ...(firstName != null && { firstName }),
    ...(lastName != null && { lastName }),
    ...(status && { status }),
    ...provisionedBy(user, input),
  };
}

function provisionedBy(
  user: UserDocument,
  { userName, externalId, displayName }: UpdateScimUserInput,
): Partial<UserDocument> {
  if (userName == null && externalId === undefined && displayName === undefined) return {};
  const before = user.provisioned;
  const name = userName ?? userNameOf(user);
  return {
    userName: name.toLowerCase(),
    provisioned: {
      userName: name,
      externalId: externalId === undefined ? before?.externalId : externalId,
      displayName: displayName === undefined ? before?.displayName : displayName,
    },
  };
}
