import type { GraphQLArgument, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { Principal } from '../../auth/index.ts';
import { redact, redactText } from '../../lib/redaction.ts';
import type { AuditEntry } from '../../recording/audit-trail.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { toGraphError } from '../errors.ts';
import { withoutSecrets } from './secret.ts';

/** Enough to see what was asked; an entry is not a backup of what was sent. */
const MAX_BODY_CHARACTERS = 64 * 1024;

type Arguments = Record<string, unknown>;
type Outcome = Pick<AuditEntry, 'outcome' | 'responseStatusCode' | 'targetId' | 'workspaceId'>;

/** Writes the call to the audit trail once it is over, however it ended. Calls without a credential leave no trace. */
export function audited(
  schema: GraphQLSchema,
  args: readonly GraphQLArgument[],
  action: string,
  resolve: GraphQLFieldResolver<unknown, GraphContext, Arguments>,
): GraphQLFieldResolver<unknown, GraphContext, Arguments> {
  return async (parent, values, context, info) => {
    const { principal } = context;
    if (!principal) return resolve(parent, values, context, info);
    const record = (outcome: Outcome) =>
      recordSafely(
        context,
        entryOf(context, principal, action, withoutSecrets(schema, args, values), outcome),
      );
    try {
      const result = await resolve(parent, values, context, info);
      await record(success(principal, result, values));
      return result;
    } catch (error) {
      await record(failure(principal, error, values));
      throw error;
    }
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function success(principal: Principal, result: unknown, values: Arguments): Outcome {
  const members = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  return {
    outcome: 'success',
    responseStatusCode: 200,
    targetId: text(result) ?? text(members._id) ?? text(members.id) ?? text(values.id),
    workspaceId: principal.workspaceId ?? text(members.workspaceId),
  };
}

function failure(principal: Principal, error: unknown, values: Arguments): Outcome {
  const { status } = toGraphError(error).entry;
  return {
    outcome: status === 401 || status === 403 ? 'refused' : 'failed',
    responseStatusCode: status,
    targetId: text(values.id),
    workspaceId: principal.workspaceId,
  };
}

function entryOf(
  { request, now }: GraphContext,
  principal: Principal,
  action: string,
  values: Arguments,
  outcome: Outcome,
): AuditEntry {
  const [resourceType = action, verb = action] = action.split('.');
  return {
    organisationId: principal.organisationId,
    userId: principal.userId ?? principal.id,
    userType: principal.userId ? 'user' : 'api_key',
    resourceType,
    action: verb,
    method: request.method,
    uri: request.path,
    requestId: request.id,
    requestBody: JSON.stringify(redact(values)).slice(0, MAX_BODY_CHARACTERS),
    queryParams: redactText(request.query),
    requestHeaders: JSON.stringify(redact(request.headers)).slice(0, MAX_BODY_CHARACTERS),
    clientIp: request.clientIp,
    userAgent: request.headers['user-agent'] ?? '',
    timestamp: now(),
    ...outcome,
  };
}

/** The change itself is done or refused by now: a broken trail must not hide that from the caller, so it is logged. */
async function recordSafely({ audit, log }: GraphContext, entry: AuditEntry): Promise<void> {
  try {
    await audit.record(entry);
  } catch (error) {
    log.error({ error, entry }, 'An audit entry could not be recorded.');
  }
}
