import type { Phase, PreparedCheck } from './check.ts';
import { allChecks, checkOf } from './checks/index.ts';
import {
  type CheckEntry,
  type GuardrailActions,
  type GuardrailChanges,
  type GuardrailDefinition,
  type GuardrailFeedback,
  type GuardrailProblem,
  type GuardrailScope,
  type GuardrailStreaming,
  pathOf,
  type StoredGuardrail,
} from './definition.ts';
import { noSecrets, type ReadSecret, secretProblem, withSecrets } from './secret-references.ts';

/** Who asks for a guardrail: the config of the call, or one that enforces it on all calls. */
export type GuardrailOrigin = 'config' | 'workspace' | 'organisation';

/** A check in its guardrail, ready to run. */
export type GuardedCheck = PreparedCheck & {
  readonly id: string;
  readonly name: string | null;
  /** An error of the check counts as a failure. */
  readonly failsOnError: boolean;
  readonly scope: GuardrailScope;
};

/** A guardrail ready to run in one phase. */
export type PreparedGuardrail = {
  readonly id: string;
  /** Null for one that is written in a config. */
  readonly versionId: string | null;
  readonly name: string | null;
  readonly origin: GuardrailOrigin;
  readonly phase: Phase;
  /** Those that are enabled, in their order. */
  readonly checks: readonly GuardedCheck[];
  readonly deny: boolean;
  readonly isAsync: boolean;
  readonly isSequential: boolean;
  readonly softDeny: boolean;
  readonly onSuccess: GuardrailFeedback | null;
  readonly onFail: GuardrailFeedback | null;
  readonly stream: GuardrailStreaming;
  /** With `window`, its checks judge a stream in pieces of sentences, and not up to a match's reach. */
  readonly byPieces: boolean;
  readonly onUnreadable: 'deny' | 'allow';
  readonly mayEdit: boolean;
};

/** Where a guardrail is used. */
export type GuardrailUse = {
  readonly id: string;
  readonly versionId: string | null;
  readonly name: string | null;
  readonly phase: Phase;
  readonly origin: GuardrailOrigin;
  /** Reads the secrets that its checks name; absent where a guardrail may name none. */
  readonly readSecret?: ReadSecret | undefined;
};

export type GuardrailProblems = { readonly problems: readonly GuardrailProblem[] };

/** Compiles a guardrail for one phase, or says everything that keeps it from being used there. */
export function prepareGuardrail(
  { checks, actions }: GuardrailDefinition,
  { readSecret, ...use }: GuardrailUse,
): PreparedGuardrail | GuardrailProblems {
  const problems: GuardrailProblem[] = [];
  const prepared: GuardedCheck[] = [];
  for (const [at, entry] of checks.entries()) {
    const check = prepareEntry(entry, at, actions, { ...use, readSecret });
    if ('problems' in check) problems.push(...check.problems);
    else if (entry.is_enabled) prepared.push(check);
  }
  const byPieces = use.phase === 'output' && prepared.length > 0 && prepared.every(needsPieces);
  if (use.phase === 'output' && actions.stream === 'window' && !byPieces && prepared.some(needsPieces))
    problems.push({ path: pathOf(['actions', 'stream']), message: MIXED });
  if (problems.length > 0) return { problems };
  const mayEdit = prepared.some((check) => check.mayEdit);
  return {
    ...use,
    checks: prepared,
    deny: actions.deny,
    isAsync: actions.async,
    isSequential: actions.sequential,
    softDeny: actions.soft_deny_200,
    onSuccess: actions.on_success?.feedback ?? null,
    onFail: actions.on_fail?.feedback ?? null,
    stream: actions.stream ?? usualStream(prepared, byPieces, actions),
    byPieces,
    onUnreadable: actions.on_unreadable ?? (use.origin === 'organisation' && actions.deny ? 'deny' : 'allow'),
    mayEdit,
  };
}

/**
 * What is wrong with a guardrail wherever it may be used: at save, its phase is not known. A guardrail that can be used in
 * one phase is sound.
 */
export function problemsOf(
  definition: GuardrailDefinition,
  origin: GuardrailOrigin,
): readonly GuardrailProblem[] {
  const use = { id: '', versionId: null, name: null, origin, readSecret: noSecrets };
  const asInput = prepareGuardrail(definition, { ...use, phase: 'input' });
  const asOutput = prepareGuardrail(definition, { ...use, phase: 'output' });
  if (!('problems' in asInput) || !('problems' in asOutput)) return [];
  const common = asInput.problems.filter(({ path, message }) =>
    asOutput.problems.some((other) => other.path === path && other.message === message),
  );
  if (common.length > 0) return common;
  const message = `some of its checks are for the input only, and some for the output only: ${[
    ...asInput.problems,
    ...asOutput.problems,
  ]
    .map((problem) => `${problem.path}: ${problem.message}`)
    .join('; ')}`;
  return [{ path: 'checks', message }];
}

/** A stored guardrail, ready for the phases in which it can be used; the others say why they cannot. */
export type CompiledGuardrail = Pick<StoredGuardrail, 'id' | 'slug' | 'versionId'> & {
  readonly input: PreparedGuardrail | GuardrailProblems;
  readonly output: PreparedGuardrail | GuardrailProblems;
  /** Prepares it anew for a use that does something otherwise. */
  readonly changed: (changes: GuardrailChanges, phase: Phase) => PreparedGuardrail | GuardrailProblems;
};

export function compileGuardrail(
  stored: StoredGuardrail,
  origin: GuardrailOrigin,
  readSecret: ReadSecret,
): CompiledGuardrail {
  const { id, slug, versionId, name } = stored;
  const use = { id, versionId, name, origin, readSecret };
  return {
    id,
    slug,
    versionId,
    input: prepareGuardrail(stored, { ...use, phase: 'input' }),
    output: prepareGuardrail(stored, { ...use, phase: 'output' }),
    changed: (changes, phase) =>
      prepareGuardrail({ ...stored, actions: { ...stored.actions, ...changes } }, { ...use, phase }),
  };
}

type Changed = { compiled: CompiledGuardrail; prepared: PreparedGuardrail | GuardrailProblems };
const lastChanged = { input: new WeakMap<object, Changed>(), output: new WeakMap<object, Changed>() };

/** A stored guardrail as one use of it wants it, prepared once for as long as neither of them changes; null changes nothing. */
export function withChanges(
  compiled: CompiledGuardrail,
  changes: GuardrailChanges | null,
  phase: Phase,
): PreparedGuardrail | GuardrailProblems {
  if (changes === null) return compiled[phase];
  const known = lastChanged[phase].get(changes);
  if (known?.compiled === compiled) return known.prepared;
  const prepared = compiled.changed(changes, phase);
  lastChanged[phase].set(changes, { compiled, prepared });
  return prepared;
}

function prepareEntry(
  { id, parameters, name }: CheckEntry,
  at: number,
  actions: GuardrailActions,
  { phase, origin, readSecret }: GuardrailUse,
): GuardedCheck | GuardrailProblems {
  const refuse = (path: readonly PropertyKey[], message: string) => ({
    problems: [{ path: pathOf(['checks', at, ...path]), message }],
  });
  const check = checkOf(id) ?? checkOf(`default.${id}`);
  if (!check) return refuse(['id'], `there is no check ${id.slice(0, 100)}; there are ${knownIds()}`);
  if (!check.phases.includes(phase)) return refuse(['id'], `${check.id} is for the ${check.phases[0]} only`);
  const { failOnError } = parameters;
  if (failOnError !== undefined && typeof failOnError !== 'boolean')
    return refuse(['parameters', 'failOnError'], 'must be true or false');
  const prepared = check.prepare(parameters);
  if ('problems' in prepared) {
    return {
      problems: prepared.problems.map(({ path, message }) => ({
        path: pathOf(['checks', at, 'parameters', ...path]),
        message,
      })),
    };
  }
  const unreadable = secretProblem(check, parameters, readSecret);
  if (unreadable) return refuse(['parameters', ...unreadable.path], unreadable.message);
  // A check that asks somebody has a verdict to log besides; one that only replaces texts would do nothing.
  const onlyEdits =
    prepared.mayEdit && (!check.isRemote || check.isTransformer || parameters.redact === true);
  if (actions.async && onlyEdits)
    return refuse([], `${check.id} changes the text, which nobody waits for with async: true`);
  if (phase === 'output' && actions.stream === 'window' && prepared.reach === null && !prepared.judgesPieces)
    return refuse([], `${check.id} judges the whole text here: stream must be hold or report`);
  return {
    ...withSecrets(prepared, parameters, readSecret),
    id: check.id,
    name: name ?? null,
    failsOnError: failOnError ?? (origin === 'organisation' && actions.deny),
    scope: actions.scope ?? usualScope(prepared, origin, actions.deny),
  };
}

const knownIds = (): string => allChecks.map(({ id }) => id).join(', ');

/** It can judge a stream while it comes, but only whole sentences. */
const needsPieces = ({ reach, judgesPieces }: PreparedCheck): boolean => reach === null && judgesPieces;

const MIXED =
  'window is for checks of characters, or for those that ask a model about sentences: put them into two guardrails, or choose hold';

/** It replaces what it finds; a check that may answer with another body does not. */
const redacts = ({ mayEdit, detects }: PreparedCheck): boolean => mayEdit && detects;

function usualScope(check: PreparedCheck, origin: GuardrailOrigin, deny: boolean): GuardrailScope {
  if (check.mayEdit && (check.detects || !check.check.isRemote)) return 'all';
  // Whoever calls writes what the model is said to have answered, and may hide a text in front of it.
  if (origin === 'organisation' && deny && check.detects && !check.check.isRemote) return 'all';
  return origin === 'organisation' ? 'new' : 'last';
}

/** A guardrail that changes nothing and refuses nothing may look when everything is sent. */
function usualStream(
  checks: readonly PreparedCheck[],
  byPieces: boolean,
  { deny, async }: GuardrailActions,
): GuardrailStreaming {
  if (async || !(deny || checks.some(redacts))) return 'report';
  return byPieces || checks.every(({ reach }) => reach !== null) ? 'window' : 'hold';
}
