import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { REDACTED } from '../../../lib/redaction.ts';
import { auditDigest, auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import type { CreateOwnerInput } from '../../types.generated.ts';
import { type UserDocument, userModel } from '../user/index.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { makeSignInLink, OWN_LINK_MS, signInLinkTo } from './make.ts';
import { signInLinkModel } from './model.ts';
import { hasOwner } from './set-up.ts';
import { findSetUpLink } from './use.ts';

/**
 * Makes the first owner of an organisation, out of a user with this address where there is one. The owner comes before
 * the link is spent: a try that was cut off leaves an owner, who gets another link on the machine.
 */
export async function createOwner(context: GraphContext, input: CreateOwnerInput) {
  const setUp = await findSetUpLink(context, input.token);
  if (!setUp) {
    await context.throttle.slow({ door: 'set-up', address: context.request.clientIp });
    throw new GatewayError('NOT_FOUND', { message: 'The link does not exist, was used, or is too old.' });
  }
  const { organisationId } = setUp;
  const user = await usersInTurn(context, organisationId, async () => {
    if (await hasOwner(context.db, organisationId)) {
      throw new GatewayError('ALREADY_EXISTS', { message: 'The organisation has an owner already.' });
    }
    return ensureOwner(context, organisationId, input);
  });
  await context.changes.publish('user');
  await signInLinkModel(context.db).deleteMany({ organisationId, userId: null });
  const { secret, link } = await makeSignInLink(context, {
    organisationId,
    userId: user._id,
    createdBy: user._id,
    livesMs: OWN_LINK_MS,
  });
  await recordOwner(context, user, input);
  return {
    userId: user._id,
    email: user.email,
    organisationId,
    signInLink: signInLinkTo(ownAddress(context), secret),
    expiresAt: link.expiresAt,
  };
}

const ensureOwner = (
  { db }: GraphContext,
  organisationId: string,
  { email, firstName, lastName }: CreateOwnerInput,
): Promise<UserDocument> =>
  userModel(db)
    .findOneAndUpdate(
      { organisationId, email: email.toLowerCase() },
      { $set: { role: 'owner' }, $setOnInsert: { _id: uuid(), firstName, lastName } },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean<UserDocument>()
    .exec();

/** The caller has no credential that would say to which organisation's trail the entry belongs. */
async function recordOwner(
  context: GraphContext,
  user: UserDocument,
  input: CreateOwnerInput,
): Promise<void> {
  const entry = {
    ...auditedRequest(context, { input: { ...input, token: REDACTED } }),
    organisationId: user.organisationId,
    workspaceId: null,
    userId: user._id,
    userName: user.email,
    userType: 'user' as const,
    resourceType: 'user',
    action: 'create_owner',
    targetId: user._id,
    beforeDigest: null,
    afterDigest: auditDigest(context, user),
    outcome: 'success' as const,
    responseStatusCode: 200,
  };
  try {
    await context.audit.record(entry);
  } catch (error) {
    // The owner is made, and must get the link.
    context.log.error({ error, entry }, 'An audit entry could not be recorded.');
  }
}
