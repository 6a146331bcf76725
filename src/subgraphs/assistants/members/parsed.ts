import type { z } from 'zod';
import { GatewayError } from '../../../errors/index.ts';

type Issue = z.core.$ZodIssue;

/**
 * A JSON member that fits its schema. Throws VALIDATION_FAILED that names the part at fault; `param` is the member's own path,
 * empty for a whole body.
 */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, param: string): T {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw new Error('A value was refused without a reason.');
  const place = placeOf(param, issue);
  const message = `${place || 'The body'} ${problemOf(issue)}`;
  throw new GatewayError('VALIDATION_FAILED', { message, param: place, reason: reasonOf(issue) });
}

/** `input.tools` and `[0, 'function', 'name']` -> `input.tools[0].function.name` */
function placeOf(param: string, issue: Issue): string {
  const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? String(key) : `${path}.${String(key)}`;
  }, param);
}

/** What of a value has a length, by the name that zod gives to its type. */
const counted: Record<string, string> = { string: 'characters', array: 'items', record: 'pairs' };
const measured: Record<string, string> = {
  string: 'string',
  array: 'array',
  number: 'integer',
  int: 'integer',
};

function problemOf(issue: Issue): string {
  if (issue.code === 'too_big') {
    const unit = counted[issue.origin];
    return unit ? `must have at most ${issue.maximum} ${unit}.` : `must be at most ${issue.maximum}.`;
  }
  if (issue.code === 'too_small') {
    const unit = counted[issue.origin];
    return unit ? `must have at least ${issue.minimum} ${unit}.` : `must be at least ${issue.minimum}.`;
  }
  if (issue.code === 'unrecognized_keys') return 'is not known here.';
  if (issue.code === 'invalid_value' && !isMissing(issue))
    return `must be one of ${issue.values.map(String).join(', ')}.`;
  if (isMissing(issue)) return 'is required.';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}.`;
  if (issue.code === 'invalid_format' && 'pattern' in issue) return `must match ${issue.pattern}.`;
  if (issue.code === 'custom') return issue.message;
  return 'is not valid.';
}

function reasonOf(issue: Issue): string {
  if (issue.code === 'too_big')
    return `${measured[issue.origin] ?? 'object'}_above_max_${endOf(issue.origin)}`;
  if (issue.code === 'too_small')
    return `${measured[issue.origin] ?? 'object'}_below_min_${endOf(issue.origin)}`;
  if (issue.code === 'unrecognized_keys') return 'unknown_parameter';
  if (isMissing(issue)) return 'missing_required_parameter';
  if (issue.code === 'invalid_type') return 'invalid_type';
  return 'invalid_value';
}

const endOf = (origin: string): string => (origin === 'number' || origin === 'int' ? 'value' : 'length');

const isMissing = ({ code, input }: Issue): boolean =>
  (code === 'invalid_type' || code === 'invalid_value') && input === undefined;
