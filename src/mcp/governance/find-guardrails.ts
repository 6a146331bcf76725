import { effective, exemptedIn, LegGuardrails } from '../../dataplane/guardrails/leg-guardrails.ts';
import type {
  EnforcedGuardrails,
  GuardrailLookup,
  Phase,
  PreparedGuardrail,
} from '../../guardrails/index.ts';
import { Placeholders } from '../../guardrails/segments/index.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

/** Guardrails by who asks for them: the integration names them, workspace and organisation enforce them. */
export type FindGuardrails = Pick<GuardrailLookup, 'guardrailsOf' | 'guardrailById'>;

/** Checks of the model that is asked, and of what is said to it besides words: a call of a tool has neither. */
const ABOUT_MODELS: ReadonlySet<string> = new Set([
  'default.modelWhitelist',
  'default.modelRules',
  'default.requestParametersCheck',
]);

/** The guardrails of what is said to a server and by it; null where it comes under none, which costs one look. */
export function guardrailsFor(
  server: McpServerRecord,
  lookup: FindGuardrails,
): LegGuardrails | null | Promise<LegGuardrails | null> {
  const { input_guardrails: input = [], output_guardrails: output = [] } = server.upstream.configurations;
  const enforced = lookup.guardrailsOf(server.workspaceId);
  if (enforced === null && input.length === 0 && output.length === 0) return null;
  return found(server, { input, output }, lookup, enforced);
}

async function found(
  { workspaceId }: McpServerRecord,
  named: Record<Phase, readonly string[]>,
  lookup: FindGuardrails,
  enforcing: EnforcedGuardrails | null | Promise<EnforcedGuardrails | null>,
): Promise<LegGuardrails | null> {
  const enforced = await enforcing;
  const [broken] = enforced?.broken ?? [];
  if (broken !== undefined) throw unusable(broken);
  const own = (phase: Phase) =>
    Promise.all(
      named[phase].map(async (id) => usable(id, await lookup.guardrailById(workspaceId, id), phase)),
    );
  const input = effective(await own('input'), (enforced?.input ?? []).flatMap(withoutModelChecks));
  const output = effective(await own('output'), enforced?.output ?? []);
  const exempted = enforced ? exemptedIn(enforced) : [];
  if (input.length + output.length + exempted.length === 0) return null;
  return new LegGuardrails({ input, output }, exempted, new Placeholders());
}

function withoutModelChecks(guardrail: PreparedGuardrail): PreparedGuardrail[] {
  const checks = guardrail.checks.filter(({ id }) => !ABOUT_MODELS.has(id));
  if (checks.length === guardrail.checks.length) return [guardrail];
  return checks.length === 0 ? [] : [{ ...guardrail, checks }];
}

function usable(
  id: string,
  compiled: Awaited<ReturnType<GuardrailLookup['guardrailById']>>,
  phase: Phase,
): PreparedGuardrail {
  const guardrail = compiled?.[phase];
  if (guardrail && !('problems' in guardrail)) return guardrail;
  throw unusable(id);
}

const unusable = (id: string): RpcFailure =>
  new RpcFailure(rpc.guardrail, `The guardrail ${id} is gone or broken: no call goes on without it.`);
