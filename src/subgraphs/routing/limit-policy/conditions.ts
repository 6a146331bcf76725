import { invalidInput } from '../../../errors/index.ts';
import type { LimitConditionInput, LimitGroupInput } from '../../types.generated.ts';
import type { StoredCondition, StoredGroup } from './stored.ts';

/** What a policy counts; it decides which facts of a call there are. */
export type PolicyKind = { counts: 'usage' | 'rate'; target: 'llm' | 'mcp_tools' };

const modelFacts = [
  'api_key',
  'virtual_key',
  'provider',
  'config',
  'prompt',
  'model',
  'workspace_id',
  'organisation_id',
];
const toolFacts = ['api_key', 'workspace_id', 'mcp_server', 'mcp_tool'];

const METADATA = 'metadata.';
const MOST_VALUES = 500;
const LONGEST_VALUE = 512;

/** Conditions as they are stored; throws VALIDATION_FAILED naming the member that does not fit. */
export const parseConditions = (given: readonly LimitConditionInput[], kind: PolicyKind): StoredCondition[] =>
  given.map(({ key, value, excludes }, index) => {
    const at = `input.conditions[${index}]`;
    requireFact(key, kind, `${at}.key`);
    return {
      key,
      value: parseValues(value, `${at}.value`),
      ...(excludes != null && { excludes: parseValues(excludes, `${at}.excludes`) }),
    };
  });

export function parseGroups(given: readonly LimitGroupInput[], kind: PolicyKind): StoredGroup[] {
  const seen = new Set<string>();
  return given.map(({ key }, index) => {
    const at = `input.groupBy[${index}].key`;
    requireFact(key, kind, at);
    if (seen.has(key)) throw invalidInput(at, `${key} is named twice.`);
    seen.add(key);
    return { key };
  });
}

function requireFact(key: string, kind: PolicyKind, param: string): void {
  const known = factsOf(kind);
  if (known.includes(key) || (key.startsWith(METADATA) && key.length > METADATA.length)) return;
  throw invalidInput(
    param,
    `"${key}" is not a fact of a call that a policy can name; there are ${known.join(', ')} and metadata.<name>.`,
  );
}

function factsOf({ counts, target }: PolicyKind): string[] {
  if (target === 'mcp_tools') return toolFacts;
  return counts === 'rate' ? [...modelFacts, 'endpoint_type'] : modelFacts;
}

function parseValues(value: unknown, param: string): string | string[] {
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.length > 0 && text.length <= LONGEST_VALUE;
  if (isText(value)) return value;
  if (Array.isArray(value) && value.length > 0 && value.length <= MOST_VALUES && value.every(isText))
    return value;
  throw invalidInput(
    param,
    `${param} must be a text of 1 to ${LONGEST_VALUE} characters, or a list of 1 to ${MOST_VALUES} of them.`,
  );
}
