import { randomBytes } from 'node:crypto';
import { requireScope } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import type { CheckedCall } from '../../../guardrails/check.ts';
import { CheckedJson, type PhaseOutcome, runPhase } from '../../../guardrails/engine/index.ts';
import { type Phase, type PreparedGuardrail, prepareGuardrail } from '../../../guardrails/index.ts';
import { Placeholders } from '../../../guardrails/segments/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type { GuardrailTest, TestGuardrailsInput } from '../../types.generated.ts';
import { guardrailContentOf } from '../guardrail/index.ts';

/** Milliseconds for all checks of a test. */
const PATIENCE_MS = 30_000;
const MOST_CHARACTERS = 1_000_000;

/** Runs guardrails on what the input brings, by the engine that calls go through. */
export async function testGuardrails(
  context: GraphContext,
  input: TestGuardrailsInput,
): Promise<GuardrailTest> {
  const { organisationId } = requireScope(context.principal, ['guardrails.invoke']);
  const workspaceId = await workspaceIdFor(context, input.workspaceId);
  const phase = input.phase ?? 'input';
  const guardrails = await guardrailsOf(context, workspaceId, { input, phase });
  const body = new CheckedJson(bodyOf(input, phase), phase);
  const callOf = checkedCallOf({ organisationId, workspaceId, phase, body, input });
  const signal = AbortSignal.any([
    AbortSignal.timeout(PATIENCE_MS),
    ...(context.signal ? [context.signal] : []),
  ]);
  const outcome = await runPhase({
    phase,
    guardrails,
    body,
    callOf,
    placeholders: new Placeholders(),
    house: context.guardrails.checkHouse,
    caller: {
      signal,
      get happened() {
        return signal.aborted;
      },
    },
  });
  return shown(outcome, { phase, body, isText: input.text != null });
}

async function shown(
  { results, denial, hasFailed, later }: PhaseOutcome,
  { phase, body, isText }: { phase: Phase; body: CheckedJson; isText: boolean },
): Promise<GuardrailTest> {
  const all = [...results, ...((await later) ?? [])];
  const denied = denial?.softDeny ? 200 : 446;
  return {
    verdict: all.every(({ verdict }) => verdict),
    denied: denial !== null,
    status: denial ? denied : hasFailed ? 246 : 200,
    hookResults: {
      before_request_hooks: phase === 'input' ? all : [],
      after_request_hooks: phase === 'output' ? all : [],
    },
    text: isText ? textIn(body.value, phase) : null,
    body: isText ? null : body.value,
  };
}

/** Those that are named, that which is written, or what is enforced on the workspace. */
async function guardrailsOf(
  { guardrails: { lookup } }: GraphContext,
  workspaceId: string,
  { input, phase }: { input: TestGuardrailsInput; phase: Phase },
): Promise<readonly PreparedGuardrail[]> {
  const { guardrailIds, checks, actions } = input;
  if (checks != null) {
    if (guardrailIds != null)
      throw invalidInput('input.checks', 'input.checks cannot come with guardrail_ids: give one of them.');
    return [writtenGuardrail({ checks, actions, phase })];
  }
  if (guardrailIds == null) {
    const enforced = await lookup.guardrailsOf(workspaceId);
    return enforced?.[phase] ?? [];
  }
  const found: PreparedGuardrail[] = [];
  for (const [index, name] of guardrailIds.entries()) {
    const param = `input.guardrailIds[${index}]`;
    const compiled = await lookup.guardrailById(workspaceId, name);
    if (!compiled) throw invalidInput(param, `${param} names no active guardrail of the workspace.`);
    const prepared = compiled[phase];
    if (!('problems' in prepared)) found.push(prepared);
    else
      throw invalidInput(
        param,
        `${param} cannot be used for the ${phase}: ${prepared.problems[0]?.message}.`,
      );
  }
  return found;
}

function writtenGuardrail({
  checks,
  actions,
  phase,
}: Pick<TestGuardrailsInput, 'checks' | 'actions'> & { phase: Phase }): PreparedGuardrail {
  const content = guardrailContentOf({ checks, actions }, { present: null, isOfOrganisation: false });
  const use = { id: 'input', versionId: null, name: null, phase, origin: 'config' as const };
  const prepared = prepareGuardrail(content, use);
  if (!('problems' in prepared)) return prepared;
  const [problem] = prepared.problems;
  throw invalidInput(`input.${problem?.path}`, `input.${problem?.path} ${problem?.message}.`);
}

function bodyOf({ text, body }: TestGuardrailsInput, phase: Phase): unknown {
  if ((text == null) === (body == null))
    throw invalidInput('input.text', 'input.text is given, or body: one of them.');
  if (text == null) {
    if (JSON.stringify(body).length <= MOST_CHARACTERS) return body;
    throw invalidInput('input.body', `input.body must have at most ${MOST_CHARACTERS} characters.`);
  }
  return phase === 'input'
    ? { messages: [{ role: 'user', content: text }] }
    : { choices: [{ index: 0, message: { role: 'assistant', content: text } }] };
}

/** The text of a body that `bodyOf` made, as it is by now; a check may have put another body in its place. */
function textIn(value: unknown, phase: Phase): string | null {
  const list = isObject(value) ? value[phase === 'input' ? 'messages' : 'choices'] : undefined;
  const first: unknown = Array.isArray(list) ? list.at(-1) : undefined;
  const message = phase === 'input' ? first : isObject(first) ? first.message : undefined;
  return isObject(message) && typeof message.content === 'string' ? message.content : null;
}

type Tested = {
  organisationId: string;
  workspaceId: string;
  phase: Phase;
  body: CheckedJson;
  input: TestGuardrailsInput;
};

function checkedCallOf({ organisationId, workspaceId, phase, body, input }: Tested): () => CheckedCall {
  const metadata = textsOf(input.metadata);
  const traceId = randomBytes(16).toString('hex');
  return () => {
    const request = phase === 'input' && isObject(body.value) ? body.value : null;
    return {
      requestType: input.requestType ?? 'chatComplete',
      model: input.model ?? (typeof request?.model === 'string' ? request.model : null),
      provider: null,
      metadata,
      headers: {},
      isStream: request?.stream === true,
      organisationId,
      workspaceId,
      traceId,
      request,
      response: phase === 'output' ? { status: 200, body: body.value } : null,
      isTransformed: {
        request: phase === 'input' && body.isEdited,
        response: phase === 'output' && body.isEdited,
      },
      requestText: () => '',
    };
  };
}

function textsOf(metadata: unknown): Record<string, string> {
  const given = metadata ?? {};
  const isTexts = (value: unknown): value is JsonObject & Record<string, string> =>
    isObject(value) && Object.values(value).every((text) => typeof text === 'string');
  if (isTexts(given)) return given;
  throw invalidInput('input.metadata', 'input.metadata must be an object of texts.');
}
