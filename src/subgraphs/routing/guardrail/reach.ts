import type { QueryFilter } from 'mongoose';
import { type Principal, requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';

export type GuardrailVerb = 'create' | 'read' | 'update' | 'delete' | 'list';

/**
 * Whose guardrails an operation is about: those of the organisation alone, or all that the credential reaches; among these
 * are the organisation's where it holds the scope of the same verb for them.
 */
export type GuardrailLevel = 'organisation' | 'any';

const familyOf = (level: GuardrailLevel) =>
  level === 'organisation' ? 'organisation_guardrails' : 'guardrails';

export const mayReachOrganisation = ({ scopes }: Principal, verb: GuardrailVerb): boolean =>
  scopes.has(`organisation_guardrails.${verb}`);

/** The principal of an operation; throws where it lacks the operation's own scope. */
export const requireGuardrailScope = (
  { principal }: GraphContext,
  level: GuardrailLevel,
  verb: GuardrailVerb,
): Principal => requireScope(principal, [`${familyOf(level)}.${verb}`]);

/** The part of a query that says which guardrails the principal reaches. */
export function reachable(
  principal: Principal,
  level: GuardrailLevel,
  verb: GuardrailVerb,
): QueryFilter<GuardrailDocument> {
  const { organisationId, workspaceId } = principal;
  if (level === 'organisation') return { organisationId, workspaceId: null };
  const own = workspaceId ?? { $ne: null };
  if (!mayReachOrganisation(principal, verb)) return { organisationId, workspaceId: own };
  return workspaceId === null
    ? { organisationId }
    : { organisationId, workspaceId: { $in: [workspaceId, null] } };
}

/** The administration tells of a guardrail that is unknown, and of one out of reach, in the same words. */
export const guardrailNotFound = (level: GuardrailLevel): GatewayError =>
  new GatewayError(level === 'organisation' ? 'NOT_FOUND' : 'GUARDRAIL_NOT_FOUND', {
    message: 'The guardrail does not exist, or the credential does not reach it.',
  });

/** A guardrail that the caller may act on in this way. */
export async function requireGuardrail(
  context: GraphContext,
  id: string,
  { level, verb }: { level: GuardrailLevel; verb: GuardrailVerb },
): Promise<GuardrailDocument> {
  const principal = requireGuardrailScope(context, level, verb);
  const found = await guardrailModel(context.db)
    .findOne({ $and: [reachable(principal, level, verb), { $or: [{ _id: id }, { slug: id }] }] })
    .lean<GuardrailDocument>();
  if (!found) throw guardrailNotFound(level);
  return found;
}
