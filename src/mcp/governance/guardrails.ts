import type { CheckHouse } from '../../guardrails/engine/index.ts';
import type { Phase, PreparedGuardrail } from '../../guardrails/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { RelayCall } from '../relay/call.ts';
import { relabelled } from '../relay/tasks.ts';
import { placeOf } from '../snapshot/index.ts';
import { type FindGuardrails, guardrailsFor } from './find-guardrails.ts';
import { ExchangeGuards } from './guards.ts';
import { allTexts, type FindTexts, paramsTexts, resultTexts } from './leaf-body.ts';

/** The guardrails of one call. Null stands for what was refused: the call is answered by now. */
export type ToolGuards = {
  /** Params as they may go to the server. */
  input(params: JsonObject): Promise<JsonObject | null>;
  /** A result as the caller may have it. */
  output(result: JsonObject): Promise<JsonObject | null>;
  /** An error of the server as the caller may have it. */
  error(error: JsonObject): Promise<JsonObject | null>;
};

/** Finds the guardrails of a call; null where it comes under none. Rejects with an RpcFailure where one cannot be run. */
export type ToolGuardrails = (call: RelayCall) => ToolGuards | null | Promise<ToolGuards | null>;

export const createToolGuardrails =
  (lookup: FindGuardrails, house: CheckHouse): ToolGuardrails =>
  (call) => {
    const found = guardrailsFor(call.server, lookup);
    if (found === null) return null;
    return Promise.resolve(found)
      .then((leg) => (leg === null ? null : new CallGuards(call, new ExchangeGuards(leg, house))))
      .catch((error: unknown) => {
        call.facts.refusedBy = 'guardrail';
        throw error;
      });
  };

/** Members of params in which a caller says something to a server, beside the arguments. */
const spoken = ['inputResponses', 'argument', 'context', '_meta'] as const;

class CallGuards implements ToolGuards {
  readonly #call: RelayCall;
  readonly #guards: ExchangeGuards;
  /** As it went to the server. */
  #asked: JsonObject = {};

  constructor(call: RelayCall, guards: ExchangeGuards) {
    this.#call = call;
    this.#guards = guards;
    call.guards = guards;
  }

  async input(params: JsonObject): Promise<JsonObject | null> {
    const { arguments: given, ...others } = params;
    const isPlain = isObject(given);
    const passed = isPlain ? await this.#judge('input', given, allTexts) : {};
    if (passed === null) return null;
    this.#asked = passed;
    const said = pick(others, spoken);
    if (given !== undefined && !isPlain) said.arguments = given;
    if (!isListed(this.#call, params)) said.uri = params.uri;
    const rest = Object.keys(said).length === 0 ? said : await this.#judge('input', said, paramsTexts);
    if (rest === null) return null;
    // An address that a check has changed would be that of another resource.
    if (rest.uri !== said.uri) return this.#refuse('The address of the resource is held back by a guardrail');
    if (passed === given && rest === said) return params;
    return { ...params, ...(isPlain && { arguments: passed }), ...pick(rest, Object.keys(said)) };
  }

  async output(result: JsonObject): Promise<JsonObject | null> {
    // A task that is over brings its result along.
    const { result: ofTask, ...task } = result;
    if (this.#call.task === null || !isObject(ofTask)) return this.#judge('output', result, resultTexts);
    const told = await this.#judge('output', task, resultTexts);
    const passed = told && (await this.#judge('output', ofTask, resultTexts, task));
    if (!told || !passed) return null;
    return told === task && passed === ofTask ? result : { ...told, result: passed };
  }

  error(error: JsonObject): Promise<JsonObject | null> {
    return this.#judge('output', error, allTexts);
  }

  /** `task`: around the value, for a refusal. */
  async #judge(
    phase: Phase,
    value: JsonObject,
    find: FindTexts,
    task: JsonObject | null = null,
  ): Promise<JsonObject | null> {
    const call = this.#call;
    const { visit, server, facts, isOver } = call;
    const exchange = { visit, server, subject: facts.subject, isOver };
    const judged = await this.#guards.judge(phase, exchange, { value, find, asked: this.#asked });
    if (judged.denial === null) return judged.value;
    return this.#refuse(`Blocked by guardrail ${nameOf(judged.denial)}`, judged.denial, task);
  }

  /** What is wrong with a text is told to the model, which can do better; elsewhere there is no model that reads it. */
  #refuse(message: string, denial: PreparedGuardrail | null = null, task: JsonObject | null = null): null {
    const call = this.#call;
    call.facts.refusedBy = 'guardrail';
    call.facts.errorMessage = message;
    const result = {
      content: [{ type: 'text', text: message }],
      isError: true,
      _meta: { 'io.sluice/guardrail': { id: denial?.id ?? null, name: denial?.name ?? null } },
    };
    const isOfTool = call.method === 'tools/call' || call.method === 'tasks/result';
    if (task && call.task) call.deny({ ...relabelled(task, call.task), result });
    else if (isOfTool)
      call.deny({ ...(call.visit.era === 'modern' && { resultType: 'complete' }), ...result });
    else call.fail(new RpcFailure(rpc.guardrail, message));
    return null;
  }
}

export const nameOf = ({ id, name }: PreparedGuardrail): string => name ?? id;

const pick = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));

/** The address of a resource that stands in no list was made by whoever asks for it. */
const isListed = ({ server, method }: RelayCall, { uri }: JsonObject): boolean =>
  method !== 'resources/read' || server.byPlace.has(placeOf('resource', String(uri)));
