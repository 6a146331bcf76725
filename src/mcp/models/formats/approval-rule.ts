import { isObject, type JsonObject } from '../../../lib/json.ts';
import { type AllowedTools, allowedTools, refused } from './format.ts';

/** Whether somebody has to approve a call of a tool before it is made. */
export type ApprovalRule = (name: string, annotations: unknown) => boolean;

export const askNobody: ApprovalRule = () => false;

/** Whether a list of tools names one. */
export function isAllowed(name: string, annotations: unknown, { names, readOnly }: AllowedTools): boolean {
  if (names !== null && !names.has(name)) return false;
  return !readOnly || (isObject(annotations) && annotations.readOnlyHint === true);
}

/**
 * `require_approval` of the Responses API: one word for all tools, or lists of those for which somebody is asked `always` or `never`.
 * Throws a GatewayError for anything else.
 */
export function approvalRule(value: unknown, param: string): ApprovalRule {
  if (value === undefined || value === null || value === 'never') return askNobody;
  if (value === 'always') return () => true;
  if (!isObject(value) || !isRule(value))
    throw refused(
      param,
      `${param} must be always, never, or {"always": {"tool_names": […]}, "never": {"tool_names": […]}}.`,
    );
  const listOf = (name: 'always' | 'never') =>
    value[name] === undefined ? null : allowedTools(value[name], `${param}.${name}`);
  const [always, never] = [listOf('always'), listOf('never')];
  return (name, annotations) => isAskedFor({ always, never }, name, annotations);
}

/**
 * By lists of tools: what `always` names is asked for, and of the rest all that `never` does not name; without that list, nothing of
 * the rest.
 */
export const isAskedFor = (
  { always, never }: Record<'always' | 'never', AllowedTools | null>,
  name: string,
  annotations: unknown,
): boolean =>
  (always !== null && isAllowed(name, annotations, always)) ||
  (never !== null && !isAllowed(name, annotations, never));

const isRule = (value: JsonObject): boolean =>
  Object.keys(value).length > 0 && Object.keys(value).every((name) => name === 'always' || name === 'never');
