import type { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { isNestedDeeperThan } from '../../lib/storable.ts';
import { configurationsSchema, type McpConfigurations } from './schema.ts';

/** What is wrong with settings: the member at fault, as a path below `configurations`, and a sentence without its subject. */
export class ConfigurationProblem extends Error {
  readonly path: string;
  constructor(path: string, problem: string) {
    super(problem);
    this.name = 'ConfigurationProblem';
    this.path = path;
  }
}

const MAX_CHARACTERS = 131_072;
const MAX_LEVELS = 16;

/** Other spellings of members, which two generations of clients send. */
const aliases: Readonly<Record<string, string>> = {
  custom_headers: 'headers',
  passthrough_header: 'passthrough_headers',
};

/** Settings as they are kept. Throws a ConfigurationProblem for what is no setting, or has no value that it takes. */
export function parseMcpConfigurations(given: unknown): McpConfigurations {
  if (given === undefined || given === null) return {};
  if (!isObject(given)) throw new ConfigurationProblem('', 'must be an object');
  if (isNestedDeeperThan(MAX_LEVELS, given) || JSON.stringify(given).length > MAX_CHARACTERS)
    throw new ConfigurationProblem('', `has at most ${MAX_LEVELS} levels and ${MAX_CHARACTERS} characters`);
  const result = configurationsSchema.safeParse(withoutAliases(given));
  if (!result.success) throw problemOf(result.error);
  return result.data;
}

function withoutAliases(given: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
    if (Object.hasOwn(named, known))
      throw new ConfigurationProblem(name, `is the same as ${known}: send one of them`);
    named[known] = value;
  }
  return named;
}

function problemOf({ issues: [issue] }: z.ZodError): ConfigurationProblem {
  if (!issue) return new ConfigurationProblem('', 'is not valid');
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return new ConfigurationProblem(
      [...path, issue.keys[0] ?? ''].join('.'),
      'is no setting of an MCP server',
    );
  if (issue.code === 'invalid_key')
    return new ConfigurationProblem(path.join('.'), issue.issues[0]?.message ?? 'is no name of a header');
  if (issue.code === 'invalid_union') return unionProblem(path, issue.errors);
  return new ConfigurationProblem(path.join('.'), lower(issue.message));
}

/** Of several forms, the one that what was sent comes nearest to: its fault lies deepest. */
function unionProblem(path: string[], forms: readonly z.core.$ZodIssue[][]): ConfigurationProblem {
  const faults = forms.flatMap((issues) => issues.slice(0, 1));
  const [deepest] = faults.sort((one, other) => other.path.length - one.path.length);
  const message = deepest?.path.length ? lower(deepest.message) : 'has none of the forms that it may have';
  return new ConfigurationProblem([...path, ...(deepest?.path ?? []).map(String)].join('.'), message);
}

const lower = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);
