import type { JsonObject } from '../../lib/json.ts';
import type { MakeCall } from './approved.ts';
import type { FoundTool } from './find-tools.ts';
import type { ModelCall, ModelTurn, ToolFormat, ToolOutcome, ToolWork } from './formats/format.ts';

/** Rounds in which a model may call tools; after them it has to say its last word. */
const MAX_ROUNDS = 10;
const AT_A_TIME = 8;

/** What one request has to do with tools. */
export type RoundsGiven = {
  format: ToolFormat;
  tools: readonly FoundTool[];
  /** Calls that the request itself has approved. */
  before: readonly ToolOutcome[];
  make: MakeCall;
  /** The id of a request for approval of a call. */
  sealRequest(tool: FoundTool, call: ModelCall, deferred: readonly ModelCall[]): string;
  /** Keeps results of calls beside functions of the caller, who need not send them back. */
  keepBeside(outcomes: readonly ToolOutcome[]): Promise<void>;
};

/** The answer of a model to a body; null for one that is no success, or breaks off. */
export type AskModel = (body: JsonObject, round: number) => Promise<JsonObject | null>;

/** Hears of each call of a tool. */
export type CallListener = {
  begun(call: ModelCall, tool: FoundTool): void;
  made(outcome: ToolOutcome): void;
};

const NOBODY: CallListener = { begun: () => undefined, made: () => undefined };

/** A model's way to its last word over the tools that it calls. */
export class ToolRounds {
  readonly #given: RoundsGiven;
  readonly #turns: ModelTurn[] = [];

  constructor(given: RoundsGiven) {
    this.#given = given;
  }

  get done(): ToolWork {
    const { tools, before } = this.#given;
    return { tools, before, turns: this.#turns };
  }

  toolOf(functionName: string): FoundTool | undefined {
    return this.#given.tools.find((tool) => tool.functionName === functionName);
  }

  /** Asks until there is a last answer, and gives it; null where an answer is none. */
  async run(body: JsonObject, ask: AskModel, listener = NOBODY): Promise<JsonObject | null> {
    const { format } = this.#given;
    let asked = body;
    for (let round = 0; ; round++) {
      const isLast = round === MAX_ROUNDS;
      const answer = await ask(isLast ? format.withoutCalls(asked) : asked, round);
      if (answer === null) return null;
      const calls = format.callsIn(answer);
      const own = isLast ? [] : calls.filter(({ name }) => this.toolOf(name) !== undefined);
      const turn = await this.#turnOf(answer, own, listener);
      this.#turns.push(turn);
      // Functions of the caller are the caller's to answer, and so are requests for approval.
      if (own.length < calls.length && turn.outcomes.length > 0) await this.#given.keepBeside(turn.outcomes);
      if (own.length === 0 || own.length < calls.length || turn.waiting.length > 0) return answer;
      asked = format.continued(asked, answer, turn.outcomes);
    }
  }

  async #turnOf(answer: JsonObject, own: readonly ModelCall[], listener: CallListener): Promise<ModelTurn> {
    const asking = own.filter(({ name }) => this.toolOf(name)?.asksFirst);
    if (asking.length === 0)
      return { answer, outcomes: await this.#callAll(own, listener), waiting: [], deferred: [] };
    // Where an answer is kept elsewhere, all calls of a turn have to be answered together.
    const deferred = own.filter((call) => !asking.includes(call));
    const waiting = asking.map((call, at) => {
      const tool = this.#known(call);
      return { id: this.#given.sealRequest(tool, call, at === 0 ? deferred : []), call, tool };
    });
    return { answer, outcomes: [], waiting, deferred };
  }

  async #callAll(calls: readonly ModelCall[], listener: CallListener): Promise<ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (let at = 0; at < calls.length; at += AT_A_TIME) {
      const some = calls.slice(at, at + AT_A_TIME).map(async (call) => {
        const tool = this.#known(call);
        listener.begun(call, tool);
        const outcome = { call, tool, ...(await this.#given.make(tool, call)), approvalId: null };
        listener.made(outcome);
        return outcome;
      });
      outcomes.push(...(await Promise.all(some)));
    }
    return outcomes;
  }

  #known({ name }: ModelCall): FoundTool {
    const tool = this.toolOf(name);
    if (!tool) throw new Error('Only tools that were offered are called.');
    return tool;
  }
}
