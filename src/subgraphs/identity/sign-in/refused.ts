import { GatewayError } from '../../../errors/index.ts';
import type { AuditEntry } from '../../../recording/audit/entry.ts';
import { auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import type { SignInMethod } from './model.ts';

/** Whom a sign-in was for, as far as what was shown tells. */
export type SignInTarget = Pick<AuditEntry, 'organisationId' | 'userId' | 'userName' | 'userType'>;

type Refused = {
  method: SignInMethod;
  /** Null for what belongs to nobody. */
  target(): Promise<SignInTarget | null>;
};

/**
 * Puts a refused sign-in into the trail of the organisation that it was for, or of the installation's own where what was
 * shown belongs to nobody. After the answer: a refusal takes no longer because something exists.
 */
export function recordRefusedSignIn(context: GraphContext, refused: Refused, error: unknown): void {
  // What failed on our side was not refused.
  if (!(error instanceof GatewayError) || error.entry.status >= 500) return;
  // Anybody could fill the trail with guesses; the process's log counts them.
  if (context.throttle.isAddressSlowed(context.request.clientIp)) return;
  setImmediate(() => {
    record(context, refused, error).catch((cause: unknown) =>
      context.log.error({ error: cause }, 'A refused sign-in could not be recorded.'),
    );
  });
}

async function record(
  context: GraphContext,
  { method, target }: Refused,
  error: GatewayError,
): Promise<void> {
  const whom = await target();
  const organisationId = whom?.organisationId ?? (await context.installation.organisationId());
  if (organisationId === null || (whom && context.throttle.isSlowed(whom.userId))) return;
  await context.audit.record({
    ...auditedRequest(context, { method }),
    // Nobody has proven who they are: this is whom they tried to be.
    userId: '',
    userType: 'user',
    ...whom,
    organisationId,
    workspaceId: null,
    resourceType: 'sign_in',
    action: 'create',
    targetId: null,
    outcome: 'refused',
    responseStatusCode: error.entry.status,
  });
}
