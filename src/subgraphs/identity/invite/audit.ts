import { REDACTED } from '../../../lib/redaction.ts';
import { auditDigest, auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import type { UserDocument } from '../user/index.ts';
import type { InviteDocument } from './model.ts';

/**
 * Writes the acceptance to the trail of the invite's organisation, as done by the new user: the caller has no credential
 * that would say which trail it belongs to.
 */
export async function recordAcceptance(
  context: GraphContext,
  { before, after }: { before: InviteDocument; after: InviteDocument },
  { _id: userId, email, firstName, lastName }: UserDocument,
): Promise<void> {
  const entry = {
    ...auditedRequest(context, { input: { token: REDACTED, firstName, lastName } }),
    organisationId: after.organisationId,
    workspaceId: null,
    userId,
    userName: email,
    userType: 'user' as const,
    resourceType: 'invite',
    action: 'accept',
    targetId: after._id,
    beforeDigest: auditDigest(context, before),
    afterDigest: auditDigest(context, after),
    outcome: 'success' as const,
    responseStatusCode: 200,
  };
  try {
    await context.audit.record(entry);
  } catch (error) {
    // The invite is spent: its keys must reach the user.
    context.log.error({ error, entry }, 'An audit entry could not be recorded.');
  }
}
