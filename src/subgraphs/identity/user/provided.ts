import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { auditDigest, auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import { type UserDocument, userModel } from './model.ts';
import { isActive } from './provisioned.ts';
import { endKeysElsewhere } from './service.ts';

/** A person as an identity provider tells of them. */
export type ProvidedUser = Pick<UserDocument, 'organisationId' | 'email' | 'firstName' | 'lastName'> & {
  /** What the person's groups say; null leaves the role as it is. */
  role: 'admin' | 'member' | null;
  /** Whether somebody who is no user yet becomes one. */
  mayBeMade: boolean;
};

/**
 * The id of the user with this address, made where that may be, with the role that the provider says: an owner stays one.
 * Throws FORBIDDEN for somebody who is no user, or a deactivated one.
 */
export async function ensureProvidedUser(context: GraphContext, person: ProvidedUser): Promise<string> {
  const { organisationId, email, role } = person;
  const found = await userModel(context.db).findOne({ organisationId, email }).lean<UserDocument>();
  if (!found) return (await makeUser(context, person))._id;
  if (!isActive(found)) throw new GatewayError('FORBIDDEN', { message: 'The user is deactivated.' });
  if (role === null || found.role === role || found.role === 'owner') return found._id;
  const changed = await userModel(context.db)
    .findOneAndUpdate(
      { _id: found._id, organisationId, role: { $ne: 'owner' } },
      { role },
      { returnDocument: 'after' },
    )
    .lean<UserDocument>();
  if (!changed) return found._id;
  await context.changes.publish('user');
  if (role === 'member') await endKeysElsewhere(context, changed);
  await record(context, changed, 'update', found);
  return found._id;
}

async function makeUser(
  context: GraphContext,
  { organisationId, email, firstName, lastName, role, mayBeMade }: ProvidedUser,
): Promise<UserDocument> {
  if (!mayBeMade) {
    throw new GatewayError('FORBIDDEN', {
      message: 'No user of the organisation has your address. Ask for an invite.',
    });
  }
  const made = await userModel(context.db)
    .findOneAndUpdate(
      { organisationId, email },
      { $setOnInsert: { _id: uuid(), firstName, lastName, role: role ?? 'member' } },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean<UserDocument>();
  await context.changes.publish('user');
  await record(context, made, 'create', null);
  return made;
}

const record = (
  context: GraphContext,
  user: UserDocument,
  action: 'create' | 'update',
  before: UserDocument | null,
): Promise<void> =>
  context.audit.record({
    ...auditedRequest(context, { role: user.role }),
    organisationId: user.organisationId,
    workspaceId: null,
    userId: user._id,
    userName: user.email,
    userType: 'user',
    resourceType: 'user',
    action,
    targetId: user._id,
    beforeDigest: before && auditDigest(context, before),
    afterDigest: auditDigest(context, user),
    outcome: 'success',
    responseStatusCode: 200,
  });
