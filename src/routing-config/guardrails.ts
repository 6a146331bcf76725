import {
  type GuardrailChanges,
  type GuardrailDefinition,
  type GuardrailProblem,
  type Phase,
  type PreparedGuardrail,
  parseGuardrail,
  parseGuardrailChanges,
  prepareGuardrail,
} from '../guardrails/index.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import type { GatewayConfig } from './schema.ts';
import { snakeCaseKey } from './spelling.ts';

/** A stored guardrail that a config names by id or slug, with what this use of it does otherwise; null for nothing. */
export type ReferredGuardrail = { readonly name: string; readonly changes: GuardrailChanges | null };

/** A guardrail of a config: written in it, or one that is stored. */
export type PlannedGuardrail = PreparedGuardrail | ReferredGuardrail;

/** Members of a config that list guardrails, by phase, in the order in which they are run. */
const members = {
  input: ['before_request_hooks', 'input_guardrails', 'input_mutators'],
  output: ['after_request_hooks', 'output_guardrails', 'output_mutators'],
} as const satisfies Record<Phase, readonly (keyof GatewayConfig)[]>;

const allMembers: readonly string[] = [...members.input, ...members.output];

/** The type of a hook that changes texts, and refuses nothing. */
const MUTATOR = 'mutator';

/** Whether a member of a config, under its name in snake_case, lists guardrails. */
export const isGuardrailList = (name: string): boolean => allMembers.includes(name);

export const hasGuardrails = (config: GatewayConfig): boolean =>
  allMembers.some((member) => config[member as keyof GatewayConfig] !== undefined);

/** The guardrails of one level of a config in a phase; null where it says nothing of them. */
export function plannedGuardrails(config: GatewayConfig, phase: Phase): readonly PlannedGuardrail[] | null {
  const listed = members[phase].filter((member) => config[member] !== undefined);
  if (listed.length === 0) return null;
  return listed.flatMap((member) =>
    (config[member] ?? []).flatMap((written, at): PlannedGuardrail[] => {
      const planned = plan(inList(written, member), phase, `${member}[${at}]`);
      return isProblem(planned) ? [] : [planned];
    }),
  );
}

/** Mistakes in the guardrails of all levels of a config. */
export function guardrailProblems(config: GatewayConfig, path: string): string[] {
  const own = (['input', 'output'] as const).flatMap((phase) =>
    members[phase].flatMap((member) =>
      (config[member] ?? []).flatMap((written, at) =>
        problemsIn(inList(written, member), phase, `${path}.${member}[${at}]`),
      ),
    ),
  );
  const below = (config.targets ?? []).flatMap((target, index) =>
    guardrailProblems(target, `${path}.targets[${index}]`),
  );
  return [...own, ...below];
}

/** A stored guardrail that a config names by id or slug. */
export type NamedGuardrail = { phase: Phase; path: string; name: string; changes: GuardrailChanges | null };

/** The stored guardrails that all levels of a config name, each with its place. */
export function guardrailNames(config: GatewayConfig, path: string): NamedGuardrail[] {
  const own = (['input', 'output'] as const).flatMap((phase) =>
    members[phase].flatMap((member) =>
      (config[member] ?? []).flatMap((written, at): NamedGuardrail[] => {
        const planned = plan(inList(written, member), phase, '');
        return 'changes' in planned ? [{ phase, path: `${path}.${member}[${at}]`, ...planned }] : [];
      }),
    ),
  );
  const below = (config.targets ?? []).flatMap((target, index) =>
    guardrailNames(target, `${path}.targets[${index}]`),
  );
  return [...own, ...below];
}

function problemsIn(written: string | JsonObject, phase: Phase, path: string): string[] {
  const planned = plan(written, phase, path);
  if (!isProblem(planned)) return [];
  return planned.problems.map(
    ({ path: at, message }) => `path: ${path}${at === '' ? '' : `.${at}`}, message: ${message}`,
  );
}

/** A hook as its list means it: one of a list of mutators is a mutator. */
const inList = (written: string | JsonObject, member: string): string | JsonObject =>
  typeof written === 'object' && member.endsWith('_mutators') ? { ...written, type: MUTATOR } : written;

type Plan = PlannedGuardrail | { problems: readonly GuardrailProblem[] };

const isProblem = (planned: Plan): planned is { problems: readonly GuardrailProblem[] } =>
  'problems' in planned;

/** `place`: the id of a guardrail that has none. */
function plan(written: string | JsonObject, phase: Phase, place: string): Plan {
  if (typeof written === 'string') return { name: written, changes: null };
  const { id = place, guardrail_version_id: versionId = null, name = null, ...rest } = hookOf(written);
  if (written.type === MUTATOR) {
    const said = isObject(rest.actions) ? rest.actions : {};
    if (said.deny === true) return { problems: [{ path: 'deny', message: 'a mutator refuses nothing' }] };
    rest.actions = { ...said, deny: false };
  }
  if (rest.checks === undefined && typeof written.id === 'string') return refer(written.id, rest.actions);
  const parsed = parseGuardrail(rest);
  if ('problems' in parsed) return parsed;
  const { definition }: { definition: GuardrailDefinition } = parsed;
  const use = { id: String(id), versionId: textOrNull(versionId), name: textOrNull(name) };
  return prepareGuardrail(definition, { ...use, phase, origin: 'config' });
}

/** A hook without checks is a use of the stored guardrail that its id names. */
function refer(name: string, actions: unknown): Plan {
  if (actions === undefined) return { name, changes: null };
  const parsed = parseGuardrailChanges(actions);
  return 'problems' in parsed ? parsed : { name, changes: parsed.changes };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Members of an object that are no ids of checks. */
const own = new Set(['id', 'name', 'type', 'checks', 'guardrail_version_id']);
const actions = new Set([
  'deny',
  'async',
  'sequential',
  'soft_deny_200',
  'on_success',
  'on_fail',
  'scope',
  'stream',
  'on_unreadable',
]);

/** A hook, or the short form in which every other member is a check with its parameters, as a guardrail is written. */
function hookOf(written: JsonObject): JsonObject {
  const hook: JsonObject = {};
  const said: JsonObject = {};
  const checks: unknown[] = [];
  for (const [key, value] of Object.entries(written)) {
    const name = snakeCaseKey(key);
    const plain = name === 'soft_deny200' ? 'soft_deny_200' : name;
    if (plain === 'type') continue;
    if (own.has(plain)) hook[plain] = value;
    else if (actions.has(plain)) said[plain] = value;
    else checks.push(shortCheck(key, value));
  }
  if (checks.length > 0) hook.checks = [...(Array.isArray(hook.checks) ? hook.checks : []), ...checks];
  if (Array.isArray(hook.checks)) hook.checks = hook.checks.map(withOwnSpelling);
  if (Object.keys(said).length > 0) hook.actions = said;
  return hook;
}

/**
 * Parameters of checks of a guardrail that is written in a config, as `change` makes them; what it does not change, and what is
 * no guardrail, stays as it is. `path`: from the guardrail.
 */
export function mapParameters(
  written: unknown,
  change: (checkId: string, parameters: JsonObject, path: string) => JsonObject,
): unknown {
  if (!isObject(written)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      if (key === 'checks' && Array.isArray(value))
        return [
          key,
          value.map((check, at) =>
            mapCheck(check, (id, given) => change(id, given, `checks[${at}].parameters`)),
          ),
        ];
      const isShort = !own.has(snakeCaseKey(key)) && !actions.has(snakeCaseKey(key)) && isObject(value);
      return [key, isShort ? change(typeof value.id === 'string' ? value.id : key, value, key) : value];
    }),
  );
}

function mapCheck(check: unknown, change: (checkId: string, parameters: JsonObject) => JsonObject): unknown {
  if (!isObject(check) || !isObject(check.parameters) || typeof check.id !== 'string') return check;
  return { ...check, parameters: change(check.id, check.parameters) };
}

/** `id` inside the parameters says which check it is, in place of the key. */
function shortCheck(key: string, value: unknown): unknown {
  if (!isObject(value)) return { id: key, parameters: value === true || value === null ? {} : value };
  const { id = key, ...parameters } = value;
  return { id, parameters };
}

const withOwnSpelling = (check: unknown): unknown => {
  if (!isObject(check) || check.isEnabled === undefined) return check;
  const { isEnabled, ...rest } = check;
  return { is_enabled: isEnabled, ...rest };
};
