import { callShape, shownDetails } from '../events/shapes.ts';
import type { Teller } from '../events/teller.ts';
import { turnId } from '../ids.ts';
import { type HostedCall, isForCaller, isHostedCall, type RunCall, type TurnFinish } from '../items.ts';
import type { RunDocument } from '../run.ts';
import { type HostedToolType, isFunctionTool, isOfMcpServer } from '../settings.ts';
import type { OfferedFunction } from '../tools/offered.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import type { TurnPiece } from './read-chat.ts';
import { noTokens, type TurnSteps } from './steps.ts';

/** The place of a turn's first call, by which the ids of calls follow from the run's. */
const FIRST_CALL = 16;

/** Calls of MCP servers that are made at the same time. */
const AT_ONCE = 4;

/** `isFirst`: no call before it, but for those that are made at the same time, was answered by this process. */
export type AskedHostedCall = Pick<ToolContext, 'tell'> & { isFirst: boolean };

/** Answers a hosted call. */
export type AnswerHosted = (call: HostedCall, asked: AskedHostedCall) => Promise<ToolOutput>;

type Answering = {
  answer: AnswerHosted;
  /** Stores the calls, after each that was answered. */
  keep(): Promise<void>;
  /** Tells of a call before it is answered, or of one that was. */
  begin(index: number, call: RunCall): void;
};

/** The calls that the model makes in one turn, told as they come. */
export class TurnCalls {
  readonly all: RunCall[] = [];
  /** The hosted tools on offer, by the names of their functions. */
  offered: ReadonlyMap<string, OfferedFunction> = new Map();
  readonly #run: RunDocument;
  readonly #teller: Teller;
  readonly #steps: TurnSteps;

  constructor(run: RunDocument, teller: Teller, steps: TurnSteps) {
    this.#run = run;
    this.#teller = teller;
    this.#steps = steps;
  }

  /**
   * Where calls of either kind may come, those that wait for the caller are told behind those of hosted tools: their step stays
   * open until the caller has answered.
   */
  get #isHeld(): boolean {
    return this.offered.size > 0 || this.#run.tools.some(({ type }) => type === 'mcp');
  }

  begin({ index, name }: { index: number; name: string }): void {
    const id = turnId('call', this.#run._id, this.#run.turn, FIRST_CALL + index);
    const offered = this.offered.get(name);
    const type = offered?.tool.type ?? this.#formerType(name);
    const common = { id, name, arguments: '', output: null };
    const call: RunCall = type
      ? { ...common, type, details: emptyDetails(type), parts: [], citations: [] }
      : { ...common, type: 'function' };
    if (isHostedCall(call) && offered?.needsApproval) call.approval = 'asked';
    this.all.push(call);
    if (this.#isHeld) return;
    if (!this.#steps.open) this.#steps.begin('forCaller', null);
    this.#tellBegun(index, call);
  }

  /** A model may remember what an MCP server offered in a turn before, which no caller can answer. */
  #formerType(name: string): HostedToolType | undefined {
    const { tools } = this.#run;
    const isOfCaller = tools.some((tool) => isFunctionTool(tool) && tool.function.name === name);
    return !isOfCaller && isOfMcpServer(tools, name) ? 'mcp' : undefined;
  }

  addArguments({ index, text }: Extract<TurnPiece, { kind: 'arguments' }>): void {
    const call = this.all[index];
    if (!call) return;
    call.arguments += text;
    if (!this.#isHeld) this.#tellArguments(index, text);
  }

  /** Has the hosted calls answered in a step of their own. `keep` stores the calls after each. */
  async answerHosted(finish: TurnFinish, answer: AnswerHosted, keep: Answering['keep']): Promise<void> {
    const calls = this.all.filter(isHostedCall).filter((call) => !isForCaller(call));
    if (calls.length === 0) return;
    const step = this.#steps.begin('hosted', null);
    const begin = (index: number, call: RunCall) => this.#tellHosted(step.id, index, call as HostedCall);
    await this.#answerAll(calls, { answer, keep, begin });
    this.#steps.end('completed', { usage: finish.usage, calls });
  }

  /** Has the calls answered that the caller has approved, and ends the step that has waited. */
  async answerApproved(answer: AnswerHosted, keep: Answering['keep']): Promise<void> {
    const calls = this.all.filter(isForCaller);
    const begin = (index: number, call: RunCall) => {
      this.#tellBegun(index, call);
      this.#tellArguments(index, call.arguments);
      if (call.output !== null) this.#tellOutput(index, call.output);
    };
    await this.#answerAll(calls, { answer, keep, begin });
    this.#steps.end('completed', { usage: this.#steps.open?.usage ?? noTokens, calls: this.all });
  }

  /** Has calls answered and told in their order; those of a group are made at the same time. */
  async #answerAll(calls: readonly RunCall[], { answer, keep, begin }: Answering): Promise<void> {
    let isFirst = true;
    let index = 0;
    for (const group of groupsOf(calls)) {
      const first = index;
      const make = (call: HostedCall) =>
        answer(call, { isFirst, tell: this.#tellerOf(call, first + group.indexOf(call)) });
      const open = group.filter(isHostedCall).filter(({ output }) => output === null);
      // What is made alone tells of its work meanwhile, so it is made once it was told of.
      const made = new Map(group.length > 1 ? open.map((call) => [call, make(call)] as const) : []);
      // From now on, so that one that fails before its turn is not taken for an error that nobody handles.
      const ended = Promise.allSettled(made.values());
      try {
        for (const call of group) {
          begin(index, call);
          if (isHostedCall(call) && call.output === null) {
            Object.assign(call, { parts: [], citations: [], ...(await (made.get(call) ?? make(call))) });
            if (call.type === 'mcp') this.#tellOutput(index, call.output ?? '');
            await keep();
          }
          index++;
        }
      } finally {
        // A turn ends when nothing is under way any more, also where one of its calls ends the run.
        await ended;
      }
      if (open.length > 0) isFirst = false;
    }
  }

  /** Tells what became of a hosted call's member of the open step. */
  #tellerOf({ type }: HostedCall, index: number): ToolContext['tell'] {
    const stepId = this.#steps.open?.id ?? '';
    return (details) => {
      const shown = shownDetails({ type, details }, this.#run.showsContents);
      this.#teller.stepDelta(stepId, index, { type, [type]: shown });
    };
  }

  /** Has what is for the caller wait, in a step that stays open. */
  awaitCaller({ usage }: TurnFinish): void {
    const calls = this.all.filter(isForCaller);
    if (calls.length === 0) return;
    const isTold = this.#steps.open !== undefined;
    const step = this.#steps.open ?? this.#steps.begin('forCaller', null);
    step.usage = calls.length === this.all.length ? usage : noTokens;
    if (isTold) return;
    for (const [index, call] of calls.entries()) {
      this.#tellBegun(index, call);
      if (call.arguments !== '') this.#tellArguments(index, call.arguments);
    }
  }

  #tellHosted(stepId: string, index: number, call: HostedCall): void {
    const { id, type } = call;
    const entry = type === 'mcp' ? callShape(call, false) : { id, type, [type]: emptyDetails(type) };
    this.#teller.stepDelta(stepId, index, entry);
  }

  #tellBegun(index: number, { id, name }: { id: string; name: string }): void {
    this.#tellFunction(index, { name, arguments: '', output: null }, id);
  }

  #tellArguments(index: number, text: string): void {
    this.#tellFunction(index, { arguments: text });
  }

  #tellOutput(index: number, output: string): void {
    this.#tellFunction(index, { output });
  }

  #tellFunction(index: number, part: Record<string, unknown>, id?: string): void {
    const entry = { ...(id !== undefined && { id }), type: 'function', function: part };
    this.#teller.stepDelta(this.#steps.open?.id ?? '', index, entry);
  }
}

/**
 * Calls of MCP servers that follow each other, a few at a time, and any other call alone: those of the code interpreter share a
 * box. The groups follow from the calls alone, so that another process knows which calls may have been under way together.
 */
function groupsOf(calls: readonly RunCall[]): RunCall[][] {
  const groups: RunCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const isOne = call.type === 'mcp' && last?.[0]?.type === 'mcp' && last.length < AT_ONCE;
    if (last && isOne) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** What a step shows of a call that has not been answered. */
const emptyDetails = (type: HostedToolType): Record<string, unknown> =>
  type === 'code_interpreter' ? { input: '', outputs: [] } : {};
