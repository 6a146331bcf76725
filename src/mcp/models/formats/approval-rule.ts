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
 * Where it only says who is never asked for, the others are. Throws a GatewayError for anything else.
 */
export function approvalRule(value: unknown, param: string): ApprovalRule {
  if (value === undefined || value === null || value === 'never') return askNobody;
  if (value === 'always') return () => true;
  if (!isObject(value) || !isRule(value))
    throw refused(
      param,
      `${param} must be always, never, or {"always": {"tool_names": […]}, "never": {"tool_names": […]}}.`,
    );
  const [always, never] = (['always', 'never'] as const).map((name) =>
    value[name] === undefined ? null : allowedTools(value[name], `${param}.${name}`),
  );
  return (name, annotations) => {
    if (never && isAllowed(name, annotations, never)) return false;
    return !always || isAllowed(name, annotations, always);
  };
}

const isRule = (value: JsonObject): boolean =>
  Object.keys(value).length > 0 && Object.keys(value).every((name) => name === 'always' || name === 'never');
