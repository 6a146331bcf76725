import { shownDetails } from '../events/shapes.ts';
import type { Teller } from '../events/teller.ts';
import { turnId } from '../ids.ts';
import { type HostedCall, isFunctionCall, isHostedCall, type RunCall, type TurnFinish } from '../items.ts';
import type { RunDocument } from '../run.ts';
import type { HostedToolType } from '../settings.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import type { TurnPiece } from './read-chat.ts';
import { noTokens, type TurnSteps } from './steps.ts';

/** The place of a turn's first call, by which the ids of calls follow from the run's. */
const FIRST_CALL = 16;

/** The calls that the model makes in one turn, told as they come. */
export class TurnCalls {
  readonly all: RunCall[] = [];
  /** The hosted tools on offer, by the names of their functions. */
  hosted: ReadonlyMap<string, HostedToolType> = new Map();
  readonly #run: RunDocument;
  readonly #teller: Teller;
  readonly #steps: TurnSteps;

  constructor(run: RunDocument, teller: Teller, steps: TurnSteps) {
    this.#run = run;
    this.#teller = teller;
    this.#steps = steps;
  }

  /**
   * Where calls of either kind may come, those of functions are told behind those of hosted tools: their step stays open until
   * the caller has answered.
   */
  get #isHeld(): boolean {
    return this.hosted.size > 0;
  }

  begin({ index, name }: { index: number; name: string }): void {
    const id = turnId('call', this.#run._id, this.#run.turn, FIRST_CALL + index);
    const type = this.hosted.get(name);
    const call = { id, name, arguments: '', output: null };
    this.all.push(
      type
        ? { ...call, type, details: emptyDetails(type), parts: [], citations: [] }
        : { ...call, type: 'function' },
    );
    if (this.#isHeld) return;
    if (!this.#steps.open) this.#steps.begin('functions', null);
    this.#tellFunction(index, call);
  }

  addArguments({ index, text }: Extract<TurnPiece, { kind: 'arguments' }>): void {
    const call = this.all[index];
    if (!call) return;
    call.arguments += text;
    if (!this.#isHeld) this.#tellArguments(index, text);
  }

  /** Has the hosted calls answered, one after the other, in a step of their own. `keep` stores the calls after each. */
  async answerHosted(
    finish: TurnFinish,
    answer: (call: HostedCall, tell: ToolContext['tell']) => Promise<ToolOutput>,
    keep: () => Promise<void>,
  ): Promise<void> {
    const calls = this.all.filter(isHostedCall);
    if (calls.length === 0) return;
    const step = this.#steps.begin('hosted', null);
    for (const [index, call] of calls.entries()) {
      const { id, type } = call;
      const tell = (details: Record<string, unknown>) => {
        const shown = shownDetails({ type, details }, this.#run.showsContents);
        this.#teller.stepDelta(step.id, index, { type, [type]: shown });
      };
      this.#teller.stepDelta(step.id, index, { id, type, [type]: emptyDetails(type) });
      if (call.output !== null) continue;
      Object.assign(call, { parts: [], citations: [], ...(await answer(call, tell)) });
      await keep();
    }
    this.#steps.end('completed', { usage: finish.usage, calls });
  }

  /** Has the functions wait for the caller, in a step that stays open. */
  awaitFunctions({ usage }: TurnFinish): void {
    const calls = this.all.filter(isFunctionCall);
    if (calls.length === 0) return;
    const isTold = this.#steps.open !== undefined;
    const step = this.#steps.open ?? this.#steps.begin('functions', null);
    step.usage = calls.length === this.all.length ? usage : noTokens;
    if (isTold) return;
    for (const [index, call] of calls.entries()) {
      this.#tellFunction(index, call);
      if (call.arguments !== '') this.#tellArguments(index, call.arguments);
    }
  }

  #tellFunction(index: number, { id, name }: { id: string; name: string }): void {
    const entry = { id, type: 'function', function: { name, arguments: '', output: null } };
    this.#teller.stepDelta(this.#steps.open?.id ?? '', index, entry);
  }

  #tellArguments(index: number, text: string): void {
    const entry = { type: 'function', function: { arguments: text } };
    this.#teller.stepDelta(this.#steps.open?.id ?? '', index, entry);
  }
}

/** What a step shows of a call that has not been answered. */
const emptyDetails = (type: HostedToolType): Record<string, unknown> =>
  type === 'code_interpreter' ? { input: '', outputs: [] } : {};
