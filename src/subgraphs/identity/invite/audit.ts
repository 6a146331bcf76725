import { REDACTED, redact } from '../../../lib/redaction.ts';
import type { GraphContext } from '../../context.ts';
import type { UserDocument } from '../user/index.ts';
import type { InviteDocument } from './model.ts';

/**
 * Writes the acceptance to the trail of the invite's organisation, as done by the new user: the caller has no credential
 * that would say which trail it belongs to.
 */
export async function recordAcceptance(
  { audit, log, now, request }: GraphContext,
  { _id, organisationId }: InviteDocument,
  { _id: userId, firstName, lastName }: UserDocument,
): Promise<void> {
  const entry = {
    organisationId,
    workspaceId: null,
    userId,
    userType: 'user' as const,
    resourceType: 'invite',
    action: 'accept',
    targetId: _id,
    outcome: 'success' as const,
    responseStatusCode: 200,
    method: request.method,
    uri: request.path,
    requestId: request.id,
    requestBody: JSON.stringify({ input: { token: REDACTED, firstName, lastName } }),
    queryParams: '',
    requestHeaders: JSON.stringify(redact(request.headers)),
    clientIp: request.clientIp,
    userAgent: request.headers['user-agent'] ?? '',
    timestamp: now(),
  };
  try {
    await audit.record(entry);
  } catch (error) {
    // The invite is spent: its keys must reach the user.
    log.error({ error, entry }, 'An audit entry could not be recorded.');
  }
}
