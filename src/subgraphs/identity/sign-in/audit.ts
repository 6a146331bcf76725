import { auditDigest, auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import type { SignInDocument } from './model.ts';

/** Writes the begin or the end of a sign-in to the trail of its organisation. */
export function recordSignIn(
  context: GraphContext,
  signIn: SignInDocument,
  action: 'create' | 'end',
): Promise<void> {
  const { organisationId, userId, principalId, name, kind, method } = signIn;
  const digest = auditDigest(context, signIn);
  return context.audit.record({
    ...auditedRequest(context, { method }),
    organisationId,
    workspaceId: null,
    userId: userId ?? principalId,
    userName: name,
    userType: userId !== null ? 'user' : kind === 'service-account' ? 'service_account' : 'api_key',
    resourceType: 'sign_in',
    action,
    targetId: signIn._id,
    beforeDigest: action === 'end' ? digest : null,
    afterDigest: action === 'end' ? null : digest,
    outcome: 'success',
    responseStatusCode: 200,
  });
}
