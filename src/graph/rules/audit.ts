import type { GraphQLArgument, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { Principal, PrincipalKind } from '../../auth/index.ts';
import { redactText } from '../../lib/redaction.ts';
import type { AuditEntry } from '../../recording/audit/entry.ts';
import { auditedRequest } from '../../subgraphs/audited-request.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { toGraphError } from '../doors/errors.ts';
import { changesBetween, nameOf } from './audit-changes.ts';
import { type Names, namesOf, snapshotsOf, targetArgument } from './audit-target.ts';
import { withoutSecretFields } from './secret.ts';

type Arguments = Record<string, unknown>;

/** How a call ended; `targetId` is read from its result. */
type Ending = Pick<AuditEntry, 'outcome' | 'responseStatusCode' | 'targetId' | 'workspaceId'>;

/** Writes the call to the audit trail once it is over, however it ended. Calls without a credential leave no trace. */
export function audited(
  schema: GraphQLSchema,
  args: readonly GraphQLArgument[],
  action: string,
  resolve: GraphQLFieldResolver<unknown, GraphContext, Arguments>,
): GraphQLFieldResolver<unknown, GraphContext, Arguments> {
  const [resourceType = action, verb = action] = action.split('.');
  const target = targetArgument(args);
  return async (parent, values, context, info) => {
    const { principal } = context;
    if (!principal) return resolve(parent, values, context, info);
    // A change of the organisation is one of the caller's own.
    const own = resourceType === 'organisation' ? principal.organisationId : null;
    const named = target === null ? own : text(values[target]);
    const snapshots = (names: Names) => snapshotsOf(context, principal, resourceType, names);
    const before = await snapshots(named !== null ? namesOf(target ?? 'id', named) : []);
    const record = async (ending: Ending) => {
      // Without a result the target is known only when exactly one document has that name.
      const id = ending.targetId ?? (before.size === 1 ? [...before.keys()][0] : null) ?? null;
      const [was, is] = [
        before.get(id ?? ''),
        (await snapshots(id === null ? [] : [{ _id: id }])).get(id ?? ''),
      ];
      await recordSafely(context, {
        ...callerOf(principal),
        ...auditedRequest(context, withoutSecretFields(schema, args, values)),
        ...ending,
        resourceType,
        action: verb,
        // A caller may have sent any text in place of an id.
        targetId: ending.targetId ?? (named && redactText(named)),
        targetName: nameOf(is?.document ?? was?.document),
        changes: changesBetween(was?.document, is?.document),
        beforeDigest: was?.digest ?? null,
        afterDigest: is?.digest ?? null,
      });
    };
    try {
      const result = await resolve(parent, values, context, info);
      await record(success(principal, result));
      return result;
    } catch (error) {
      await record(failure(principal, error));
      throw error;
    }
  };
}

/**
 * Writes a call to the audit trail that no mutation stands for. `input` says what was asked for, without secrets; its `id`, where it
 * has one, is the target of a call that fails.
 */
export async function auditedCall<T>(
  context: GraphContext,
  action: string,
  input: { id?: string; [member: string]: unknown },
  work: () => Promise<T>,
): Promise<T> {
  const { principal } = context;
  if (!principal) return work();
  const [resourceType = action, verb = action] = action.split('.');
  const record = async (ending: Ending) => {
    const id = ending.targetId;
    const is = id === null ? null : await snapshotsOf(context, principal, resourceType, [{ _id: id }]);
    const made = is?.get(id ?? '');
    await recordSafely(context, {
      ...callerOf(principal),
      ...auditedRequest(context, input),
      ...ending,
      ...{ resourceType, action: verb, targetName: nameOf(made?.document), changes: [] },
      ...{ beforeDigest: null, afterDigest: made?.digest ?? null },
    });
  };
  try {
    const result = await work();
    await record(success(principal, result));
    return result;
  } catch (error) {
    await record({
      ...failure(principal, error),
      targetId: input.id === undefined ? null : redactText(input.id),
    });
    throw error;
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function success(principal: Principal, result: unknown): Ending {
  const members = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  return {
    outcome: 'success',
    responseStatusCode: 200,
    targetId: text(result) ?? text(members._id) ?? text(members.id),
    workspaceId: principal.workspaceId ?? text(members.workspaceId),
  };
}

function failure(principal: Principal, error: unknown): Ending {
  const { status } = toGraphError(error).entry;
  return {
    outcome: status === 401 || status === 403 ? 'refused' : 'failed',
    responseStatusCode: status,
    targetId: null,
    workspaceId: principal.workspaceId,
  };
}

const callerOf = ({ kind, id, name, organisationId, userId }: Principal) => ({
  organisationId,
  userId: userId ?? id,
  userName: name,
  userType: userTypeOf(kind, userId),
});

function userTypeOf(kind: PrincipalKind, userId: string | null): AuditEntry['userType'] {
  if (kind === 'service-account') return 'service_account';
  if (kind === 'jwt') return 'jwt';
  return userId === null ? 'api_key' : 'user';
}

/** By now the change is done or refused. A failure to record it is logged, and the caller still gets the answer. */
async function recordSafely({ audit, log }: GraphContext, entry: AuditEntry): Promise<void> {
  try {
    await audit.record(entry);
  } catch (error) {
    log.error({ error, entry }, 'An audit entry could not be recorded.');
  }
}
