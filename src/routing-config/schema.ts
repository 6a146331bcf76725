import { z } from 'zod';
import { GatewayError } from '../errors/index.ts';
import { customHostProblem } from '../lib/http/custom-host.ts';
import { isNestedDeeperThan } from '../lib/storable.ts';
import { allSettings, type Setting, settingProblem, settingText } from '../providers/index.ts';
import { guardrailProblems } from './guardrails.ts';
import { cache, circuitBreaker, retry, statusCodes, strategy } from './parts.ts';
import {
  conditionProblems,
  countParams,
  hasContent,
  looseKeyProblems,
  MAX_INHERITED_PARAMS,
  structureProblems,
} from './rules.ts';
import { repeatedKeys, toSnakeCaseConfig } from './spelling.ts';

// The config object in its snake_case spelling. Keys that nothing acts on, such as those of stored prompts, are refused like any
// unknown key: a config that is accepted is a config that is obeyed.

const params = z.record(z.string(), z.json());

/** Names with indexes in brackets, between dots. */
const PARAM_PATH = /^[^.[\]]+(?:\[(?:\d{1,9}|\*)\])*(?:\.[^.[\]]+(?:\[(?:\d{1,9}|\*)\])*)*$/;

/** One that is written in the config, in any of its forms; what it says is read by `guardrails.ts`. */
const writtenGuardrail = z.record(z.string().min(1).max(100), z.json());
const guardrails = z.array(z.union([z.string().min(1).max(255), writtenGuardrail])).max(50);
const hooks = z.array(writtenGuardrail).max(50);

const hostUrl = z
  .string()
  .max(2048)
  .superRefine((value, context) => {
    const problem = customHostProblem(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** What providers take beside their key, each under the name that its provider gives it; read by name in `plan.ts`. */
const settingShape: Record<never, never> = Object.fromEntries(
  [...allSettings].map(([name, setting]) => [
    name,
    writtenAsItself(setting, z.string())
      .superRefine((value, context) => {
        const problem = settingProblem(setting, value);
        if (problem) context.addIssue({ code: 'custom', message: `must be ${problem}` });
      })
      .optional(),
  ]),
);

/** A list or an object may be written as such, or as the JSON of it. */
function writtenAsItself(setting: Setting, text: z.ZodString) {
  return setting.list || setting.object ? z.preprocess((value) => settingText(setting, value), text) : text;
}

const plainNode = z.strictObject({
  name: z.string().min(1).max(255).optional(),
  provider: z.string().min(1).max(255).optional(),
  virtual_key: z.string().min(1).max(255).optional(),
  api_key: z.string().min(1).max(8192).optional(),
  custom_host: hostUrl.optional(),
  weight: z.number().min(0).max(1e9).default(1),
  strategy: strategy.optional(),
  get targets() {
    return z.array(plainNode).min(1).max(100).optional();
  },
  on_status_codes: statusCodes.optional(),
  retry: retry.optional(),
  cache: cache.optional(),
  cb_config: circuitBreaker.optional(),
  request_timeout: z.int().min(1).max(3_600_000).optional(),
  override_params: params.optional(),
  default_params: params.optional(),
  drop_params: z
    .array(z.string().max(255).regex(PARAM_PATH, 'is not a path such as a.b, a[0].b or a[*].b'))
    .max(100)
    .optional(),
  forward_headers: z
    .array(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'is not a header name'))
    .max(100)
    .optional(),
  input_guardrails: guardrails.optional(),
  output_guardrails: guardrails.optional(),
  before_request_hooks: hooks.optional(),
  after_request_hooks: hooks.optional(),
  input_mutators: hooks.optional(),
  output_mutators: hooks.optional(),
  passthrough: z.boolean().optional(),
  strict_open_ai_compliance: z.boolean().optional(),
  fetch_integrated_models: z.boolean().optional(),
});

/**
 * The node with provider settings at every level. It is a type of its own, since the compiler cannot follow a
 * recursion through computed members.
 */
export const configNode: typeof plainNode = plainNode.extend({
  ...settingShape,
  get targets() {
    return z.array(configNode).min(1).max(100).optional();
  },
});

export type { RetryPolicy } from './parts.ts';
export type GatewayConfig = z.infer<typeof plainNode>;

/** The deepest nesting of objects and lists: far more than anybody writes, far less than the stack holds. */
const MAX_DEPTH = 64;
/** The most characters of a config as JSON: room for hundreds of targets. */
const MAX_CHARACTERS = 128 * 1024;

/**
 * A config object as the data plane runs it: every key known, every target reachable by its strategy. Both spellings of
 * the keys are taken. Throws INVALID_CONFIG with one `path: ..., message: ...` line per mistake.
 */
export function parseGatewayConfig(value: unknown): GatewayConfig {
  requireBounded(value);
  const repeated = repeatedKeys(value);
  if (repeated.length > 0)
    throw invalid(repeated.map((at) => `path: ${at}, message: this key is given twice`));
  const parsed = configNode.safeParse(toSnakeCaseConfig(value));
  if (!parsed.success) {
    throw invalid(parsed.error.issues.flatMap((issue) => describe(issue)));
  }
  const problems = [...structureProblems(parsed.data, 'config'), ...guardrailProblems(parsed.data, 'config')];
  if (countParams(parsed.data) > MAX_INHERITED_PARAMS)
    problems.push(
      `path: config, message: the parameters of all targets, inherited ones included, are at most ${MAX_INHERITED_PARAMS}`,
    );
  if (problems.length === 0 && !hasContent(parsed.data))
    problems.push('path: config, message: the config names no provider, targets or behaviour');
  if (problems.length > 0) throw invalid(problems);
  return parsed.data;
}

/** Throws INVALID_CONFIG for a value that is no object, and for one that is too large to be walked through. */
export function requireBounded(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(['path: config, message: a config is a JSON object']);
  }
  if (isNestedDeeperThan(MAX_DEPTH, value)) {
    throw invalid([`path: config, message: a config is nested at most ${MAX_DEPTH} levels deep`]);
  }
  if (JSON.stringify(value).length > MAX_CHARACTERS) {
    throw invalid([`path: config, message: a config has at most ${MAX_CHARACTERS} characters`]);
  }
}

/**
 * The same for a config that is to be saved: its conditions must all be sound, where at run time a malformed one is
 * skipped, and its keys must have their providers.
 */
export function parseSavedConfig(value: unknown): GatewayConfig {
  const config = parseGatewayConfig(value);
  const problems = [...conditionProblems(config, 'config'), ...looseKeyProblems(config, 'config')];
  if (problems.length > 0) throw invalid(problems);
  return config;
}

function describe(issue: z.core.$ZodIssue): string[] {
  const at = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `path: ${at}.${key}, message: this key is not supported`);
  }
  return [`path: ${at}, message: ${issue.message}`];
}

const pathText = (path: readonly PropertyKey[]) =>
  `config${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`;

function invalid(errors: string[]): GatewayError {
  return new GatewayError('INVALID_CONFIG', {
    message: `The gateway config is not valid: ${errors[0]}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
    param: 'config',
    errors,
  });
}
