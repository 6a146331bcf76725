import { GatewayError } from '../../../errors/index.ts';
import { auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';
import type { ServiceAccountDocument } from '../service-account/index.ts';

type Asked = { grantType: string | undefined; scope: string | undefined };

/**
 * Puts a refused request of a client that exists into its organisation's trail. After the answer: a refusal must not
 * take longer because the client exists.
 */
export function auditRefusal(
  context: GraphContext,
  account: ServiceAccountDocument,
  asked: Asked,
  error: unknown,
): void {
  // What failed on our side was not refused.
  if (!(error instanceof GatewayError) || error.entry.status >= 500) return;
  // Whoever knows a client id could fill its trail with guesses; the process's log counts them.
  if (error.code === 'INVALID_CLIENT' && context.throttle.isSlowed(account._id)) return;
  setImmediate(() => {
    record(context, account, asked, error).catch((cause: unknown) =>
      context.log.error({ error: cause }, 'A refused token request could not be recorded.'),
    );
  });
}

const record = (
  context: GraphContext,
  account: ServiceAccountDocument,
  { grantType, scope }: Asked,
  error: GatewayError,
): Promise<void> =>
  context.audit.record({
    ...auditedRequest(context, { grant_type: grantType, scope }),
    organisationId: account.organisationId,
    workspaceId: null,
    userId: account._id,
    userName: account.principal,
    userType: 'service_account',
    resourceType: 'access_token',
    action: 'create',
    targetId: null,
    outcome: 'refused',
    responseStatusCode: error.entry.status,
  });
