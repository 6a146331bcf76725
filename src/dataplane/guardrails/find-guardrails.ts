import { GatewayError } from '../../errors/index.ts';
import {
  type CompiledGuardrail,
  type EnforcedGuardrails,
  type GuardedCheck,
  type GuardrailLookup,
  type Phase,
  type PreparedGuardrail,
  withChanges,
} from '../../guardrails/index.ts';
import { Placeholders } from '../../guardrails/segments/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { PlannedGuardrail, ReferredGuardrail } from '../../routing-config/guardrails.ts';
import type { Call } from '../call/call.ts';
import { isUnguarded } from '../call/unguarded.ts';
import type { Leg } from '../leg/leg.ts';
import { brokenGuardrail } from './denial.ts';
import { effective, exemptedIn, LegGuardrails } from './leg-guardrails.ts';

/** Endpoints on which a config's guardrails do nothing; what is enforced covers them all. */
const enforcedOnly: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'imageGenerate',
  'imageEdit',
  'imageVariation',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'moderate',
  'models',
  'files',
  'batches',
  'batchOutput',
  'fineTuning',
  'storedResponse',
  'realtime',
]);

/** Endpoints that answer with numbers alone. */
const wordless: ReadonlySet<Endpoint> = new Set<Endpoint>(['embed', 'countTokens', 'models', 'moderate']);

/** The guardrails of a leg; null where it comes under none, which costs one look. */
export function guardrailsOf(
  { leaf, call }: Pick<Leg, 'leaf' | 'call'>,
  lookup: GuardrailLookup,
): LegGuardrails | null | Promise<LegGuardrails | null> {
  const enforced = lookup.guardrailsOf(call.workspaceId);
  if (enforced === null && leaf.inputGuardrails === null && leaf.outputGuardrails === null) return null;
  if (isUnguarded(call.request)) return null;
  return find({ leaf, call }, lookup, enforced);
}

async function find(
  { leaf, call }: Pick<Leg, 'leaf' | 'call'>,
  lookup: GuardrailLookup,
  enforcing: EnforcedGuardrails | null | Promise<EnforcedGuardrails | null>,
): Promise<LegGuardrails | null> {
  const enforced = await enforcing;
  const [broken] = enforced?.broken ?? [];
  if (broken !== undefined) throw brokenGuardrail(broken);
  const isCovered = !enforcedOnly.has(call.route.endpoint);
  const own = async (listed: readonly PlannedGuardrail[] | null, phase: Phase) =>
    listed === null || !isCovered ? [] : resolved(listed, phase, call, lookup);
  const input = effective(await own(leaf.inputGuardrails, 'input'), enforced?.input ?? []);
  const output = wordless.has(call.route.endpoint)
    ? []
    : effective(await own(leaf.outputGuardrails, 'output'), enforced?.output ?? []);
  const exempted = enforced ? exemptedIn(enforced) : [];
  if (input.length + output.length + exempted.length === 0) return null;
  call.placeholders ??= new Placeholders();
  return new LegGuardrails({ input: inputFor(input, call), output }, exempted, call.placeholders);
}

/** Guardrails that a config names are looked up for each call: an edit of one counts at once. */
async function resolved(
  listed: readonly PlannedGuardrail[],
  phase: Phase,
  call: Call,
  lookup: GuardrailLookup,
): Promise<PreparedGuardrail[]> {
  const found: PreparedGuardrail[] = [];
  for (const planned of listed) {
    if ('changes' in planned) {
      const known = lookup.guardrailById(call.workspaceId, planned.name);
      found.push(usable(planned, known instanceof Promise ? await known : known, phase));
    } else found.push(planned);
  }
  return found;
}

function usable(
  { name, changes }: ReferredGuardrail,
  compiled: CompiledGuardrail | null,
  phase: Phase,
): PreparedGuardrail {
  const quoted = JSON.stringify(name.slice(0, 100));
  if (compiled === null) throw refusal(`There is no guardrail ${quoted} in this workspace.`, phase);
  const guardrail = withChanges(compiled, changes, phase);
  if (!('problems' in guardrail)) return guardrail;
  const [problem] = guardrail.problems;
  throw refusal(
    `The guardrail ${quoted} cannot be used on the ${phase}: ${problem?.path}: ${problem?.message}.`,
    phase,
  );
}

const refusal = (message: string, phase: Phase) =>
  new GatewayError('INVALID_CONFIG', { message, param: `config.${phase}_guardrails` });

/** Without a body there is no text to check, but for an address that is passed on, in which something may be found. */
function inputFor(
  guardrails: readonly PreparedGuardrail[],
  { body, query, route }: Call,
): readonly PreparedGuardrail[] {
  const isProxied = route.endpoint === 'proxy';
  // Texts of a session come later.
  if (body.kind !== 'none' || (isProxied && query !== '') || route.endpoint === 'realtime') return guardrails;
  return isProxied ? withChecks(guardrails, lookForSomething) : aboutCallsOnly(guardrails);
}

const lookForSomething = ({ check, detects }: GuardedCheck): boolean => check.readsCallOnly || detects;

/** The same guardrails with no other checks than those that look at the call itself. */
export const aboutCallsOnly = (guardrails: readonly PreparedGuardrail[]): readonly PreparedGuardrail[] =>
  withChecks(guardrails, ({ check }) => check.readsCallOnly);

const withChecks = (
  guardrails: readonly PreparedGuardrail[],
  isWanted: (check: GuardedCheck) => boolean,
): readonly PreparedGuardrail[] =>
  guardrails.flatMap((guardrail) => {
    const checks = guardrail.checks.filter(isWanted);
    return checks.length === 0 ? [] : [{ ...guardrail, checks }];
  });
