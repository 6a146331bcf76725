import { inNameOf } from '../../dataplane/guardrails/callers.ts';
import { LegGuardrails } from '../../dataplane/guardrails/leg-guardrails.ts';
import { loggedGuardrails } from '../../dataplane/guardrails/logged.ts';
import type { CheckedCall } from '../../guardrails/check.ts';
import { type CheckHouse, runPhase } from '../../guardrails/engine/index.ts';
import type { GuardrailLookup, Phase, PreparedGuardrail } from '../../guardrails/index.ts';
import { Placeholders } from '../../guardrails/segments/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { RelayCall } from '../relay/call.ts';
import { allTexts, LeafBody, resultTexts } from './leaf-body.ts';

/** The guardrails of one call. */
export type ToolGuards = {
  /** Params as they may go to the server; null where the call was refused, and is answered by now. */
  input(params: JsonObject): Promise<JsonObject | null>;
  /** A result as the caller may have it; null where it was refused, and the call is answered by now. */
  output(result: JsonObject): Promise<JsonObject | null>;
};

/** Finds the guardrails that the integration of a call names; null where it names none. */
export type ToolGuardrails = (call: RelayCall) => ToolGuards | null | Promise<ToolGuards | null>;

export const createToolGuardrails =
  (lookup: Pick<GuardrailLookup, 'guardrailById'>, house: CheckHouse): ToolGuardrails =>
  (call) => {
    const { input_guardrails: input = [], output_guardrails: output = [] } =
      call.server.upstream.configurations;
    if (input.length === 0 && output.length === 0) return null;
    return guardsOf(call, { input, output }, lookup, house);
  };

type Named = Record<Phase, readonly string[]>;

async function guardsOf(
  call: RelayCall,
  named: Named,
  lookup: Pick<GuardrailLookup, 'guardrailById'>,
  house: CheckHouse,
): Promise<ToolGuards> {
  const found = async (phase: Phase) =>
    Promise.all(
      named[phase].map(async (id) =>
        usable(id, await lookup.guardrailById(call.server.workspaceId, id), phase, call),
      ),
    );
  const lists = { input: await found('input'), output: await found('output') };
  const guards = new LegGuardrails(lists, [], new Placeholders());
  call.isGuarded = lists.output.length > 0;
  const run = (phase: Phase, body: LeafBody, asked: JsonObject) =>
    runPhase({
      phase,
      guardrails: guards[phase],
      body,
      callOf: () => checkedCall(call, asked, phase === 'output' ? body : null),
      placeholders: guards.placeholders,
      house,
      caller: {
        happened: call.isOver,
        get signal() {
          return new AbortController().signal;
        },
      },
    });
  let asked: JsonObject = isObject(call.params.arguments) ? call.params.arguments : {};

  return {
    async input(params) {
      if (lists.input.length === 0) return params;
      const { arguments: given = {}, inputResponses } = params;
      const both = inputResponses !== undefined;
      const body = new LeafBody(
        both ? { arguments: given, inputResponses } : isObject(given) ? given : {},
        allTexts,
      );
      const { results, denial } = await run('input', body, body.value);
      guards.before = results;
      call.facts.guardrails = loggedGuardrails(guards, []);
      if (denial) return deny(call, denial);
      if (!body.isEdited) return params;
      asked = both && isObject(body.value.arguments) ? body.value.arguments : body.value;
      return both ? { ...params, ...body.value } : { ...params, arguments: body.value };
    },
    async output(result) {
      if (lists.output.length === 0) return result;
      const body = new LeafBody(result, resultTexts);
      const { results, denial } = await run('output', body, asked);
      guards.after = results;
      call.facts.guardrails = loggedGuardrails(guards, []);
      return denial ? deny(call, denial) : body.value;
    },
  };
}

function usable(
  id: string,
  compiled: Awaited<ReturnType<GuardrailLookup['guardrailById']>>,
  phase: Phase,
  { facts }: RelayCall,
): PreparedGuardrail {
  const guardrail = compiled?.[phase];
  if (guardrail && !('problems' in guardrail)) return guardrail;
  facts.refusedBy = 'guardrail';
  throw new RpcFailure(rpc.guardrail, `The guardrail ${id} is gone or broken: no call goes on without it.`);
}

/** What is wrong with a text is told to the model, which can do better; elsewhere there is no model that reads it. */
function deny(call: RelayCall, { id, name }: PreparedGuardrail): null {
  const message = `Blocked by guardrail ${name ?? id}`;
  call.facts.refusedBy = 'guardrail';
  call.facts.errorMessage = message;
  if (call.method !== 'tools/call') call.fail(new RpcFailure(rpc.guardrail, message));
  else
    call.deny({
      ...(call.visit.era === 'modern' && { resultType: 'complete' }),
      content: [{ type: 'text', text: message }],
      isError: true,
      _meta: { 'io.sluice/guardrail': { id, name } },
    });
  return null;
}

function checkedCall(
  { visit, server, facts }: RelayCall,
  asked: JsonObject,
  answer: LeafBody | null,
): CheckedCall {
  return inNameOf(visit.caller.key, {
    requestType: 'mcp',
    model: `${server.slug}/${facts.subject ?? ''}`,
    provider: 'mcp',
    metadata: visit.metadata,
    headers: visit.headers,
    isStream: false,
    organisationId: server.organisationId,
    workspaceId: server.workspaceId,
    traceId: visit.trace.traceId,
    request: asked,
    response: answer && { status: 200, body: answer.value },
    isTransformed: { request: false, response: answer?.isEdited ?? false },
    requestText: () => JSON.stringify(asked),
  });
}
