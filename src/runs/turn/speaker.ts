import type { Teller } from '../events/teller.ts';
import { turnId } from '../ids.ts';
import {
  type CallsItem,
  type Citation,
  type ContentPart,
  type IncompleteReason,
  isFunctionCall,
  type MessageItem,
  type RunCall,
  type ThreadItem,
  type TurnFinish,
} from '../items.ts';
import type { RunDocument, RunError, StepRecord, StepStatus } from '../run.ts';
import type { OfferedFunction } from '../tools/offered.ts';
import type { LastItems } from '../write-item.ts';
import type { TurnPiece } from './read-chat.ts';
import { Saying } from './saying.ts';
import { callsItemId, noTokens, TurnSteps } from './steps.ts';
import { type AnswerHosted, TurnCalls } from './turn-calls.ts';

/** Writes an item of the run's thread; throws where another process has taken the run over. */
export type WriteItem = (item: MessageItem | CallsItem) => Promise<void>;

/** What a turn begins with. */
export type Inheritance = {
  /** The hosted tools on offer, by the names of their functions. */
  offered: ReadonlyMap<string, OfferedFunction>;
  /** What the next message begins with. */
  parts: readonly ContentPart[];
  /** What messages may cite. */
  citations: readonly Citation[];
};

/** Stores a message that is still being said, with the steps of the turn, for those who look at it meanwhile. */
export type ShowEarly = (message: MessageItem, steps: readonly StepRecord[]) => Promise<void>;

/** The place of a turn's message, by which its id follows from the run's. */
const MESSAGE = 0;
/** Milliseconds after its first word at which a message is stored that has not ended: most end before, and are stored once. */
const EARLY_MS = 150;

type SpeakerDeps = { teller: Teller; write: WriteItem; showEarly: ShowEarly; now: () => Date };

/** Turns what the model says in one turn into steps, a message and calls, and tells of each as it comes. */
export class Speaker {
  #inheritance: Inheritance = { offered: new Map(), parts: [], citations: [] };
  #saying: Saying | null = null;
  readonly #steps: TurnSteps;
  readonly #calls: TurnCalls;
  readonly #run: RunDocument;
  readonly #teller: Teller;
  readonly #write: WriteItem;
  readonly #showEarly: ShowEarly;
  readonly #now: () => Date;
  #timer: NodeJS.Timeout | undefined;
  #early: Promise<void> = Promise.resolve();
  #last: LastItems | null = null;

  constructor(run: RunDocument, { teller, write, showEarly, now }: SpeakerDeps) {
    this.#run = run;
    this.#teller = teller;
    this.#write = write;
    this.#showEarly = showEarly;
    this.#now = now;
    this.#steps = new TurnSteps(run, teller, now);
    this.#calls = new TurnCalls(run, teller, this.#steps);
  }

  get steps(): readonly StepRecord[] {
    return this.#steps.all;
  }

  get calls(): readonly RunCall[] {
    return this.#calls.all;
  }

  /** Whether the turn goes on that has waited for the caller to approve calls: what it took has been counted. */
  get isContinued(): boolean {
    return this.#steps.isContinued;
  }

  inherit(inheritance: Inheritance): void {
    this.#inheritance = inheritance;
    this.#calls.offered = inheritance.offered;
  }

  take(piece: TurnPiece): Promise<void> | undefined {
    if (piece.kind === 'text' || piece.kind === 'refusal') {
      this.#saying ??= this.#beginMessage();
      this.#saying.say(piece.kind, piece.text);
    } else if (piece.kind === 'call') return this.#beginCall(piece);
    else this.#calls.addArguments(piece);
  }

  async #beginCall(call: { index: number; name: string }): Promise<void> {
    // At most one step is open: the words that come before the calls end here.
    if (this.#saying) await this.endMessage('completed', null, null);
    this.#calls.begin(call);
  }

  #beginMessage(): Saying {
    const message: MessageItem = {
      ...this.#common(turnId('msg', this.#run._id, this.#run.turn, MESSAGE)),
      kind: 'message',
      role: 'assistant',
      content: [],
      status: 'in_progress',
      incompleteReason: null,
      completedAt: null,
      incompleteAt: null,
      assistantId: this.#run.assistantId,
      metadata: {},
    };
    this.#steps.begin('message', message._id);
    this.#teller.message('created', message);
    this.#teller.message('in_progress', message);
    this.#timer = setTimeout(() => {
      this.#early = this.#showEarly(message, this.#steps.all);
    }, EARLY_MS).unref();
    return new Saying(message, this.#teller, this.#inheritance);
  }

  /** Ends the message that is open, in the store first or as the last item. `finish`: where the whole turn ends with it. */
  async endMessage(
    status: 'completed' | 'incomplete',
    reason: IncompleteReason | null,
    finish: TurnFinish | null,
  ): Promise<void> {
    // A model may leave it at what its tools have made.
    if (finish && this.#inheritance.parts.length > 0) this.#saying ??= this.#beginMessage();
    if (!this.#saying) return;
    clearTimeout(this.#timer);
    await this.#early;
    this.#saying.end();
    const { message } = this.#saying;
    const at = this.#now();
    Object.assign(message, {
      status,
      incompleteReason: reason,
      completedAt: status === 'completed' ? at : null,
      incompleteAt: status === 'completed' ? null : at,
      finish,
    });
    const isWhole = status === 'completed' || reason === 'max_tokens';
    const usage = finish?.usage ?? noTokens;
    const end = () => {
      this.#saying = null;
      const tellStep = isWhole ? this.#steps.close('completed', { usage, calls: [] }) : null;
      return () => {
        this.#teller.message(status, message);
        tellStep?.();
      };
    };
    if (finish && isWhole && this.#mayWait) {
      this.#last = { items: [message], tell: end() };
      return;
    }
    await this.#write(message);
    end()();
  }

  /** Has the calls written with which the turn ends. */
  async endCalls(finish: TurnFinish): Promise<void> {
    const common = this.#common(callsItemId(this.#run._id, this.#run.turn));
    const item: CallsItem = { ...common, kind: 'calls', calls: this.#calls.all, finish };
    // What the gateway answers itself is written before.
    if (this.#mayWait && item.calls.every(isFunctionCall))
      this.#last = { items: [item], tell: () => undefined };
    else await this.#write(item);
  }

  /** The item that is to be written with what becomes of the run; null where all are written. */
  takeLast(): LastItems | null {
    const last = this.#last;
    this.#last = null;
    return last;
  }

  /** Whether the last item may be written with the run: one who does a turn again first removes what others left of it. */
  get #mayWait(): boolean {
    return this.#run.attempt === 1;
  }

  /** Takes up a turn that the model has ended: a process before this one has not, or it has waited for the caller. */
  recall(items: readonly ThreadItem[]): void {
    this.#steps.continue();
    for (const item of items) {
      const usage = item.finish?.usage ?? noTokens;
      if (item.kind === 'calls') this.#calls.all.push(...item.calls);
      else if (this.isContinued) continue;
      else if (item.status !== 'in_progress') this.#steps.recall(item._id, { at: item.createdAt, usage });
    }
  }

  /** Has the hosted calls of the turn answered; the step of functions, where there are any, stays open behind them. */
  async answerCalls(finish: TurnFinish, answer: AnswerHosted): Promise<void> {
    const keep = () => this.endCalls(finish);
    if (this.isContinued) return this.#calls.answerApproved(answer, keep);
    await this.#calls.answerHosted(finish, answer, keep);
    this.#calls.awaitCaller(finish);
  }

  /** Ends what is open because the run ends before the turn does. */
  async breakOff(
    reason: IncompleteReason,
    status: Exclude<StepStatus, 'in_progress'>,
    error: RunError | null,
  ): Promise<void> {
    if (this.#saying) await this.endMessage('incomplete', reason, null);
    this.#steps.end(status, { usage: noTokens, error, calls: this.#calls.all });
  }

  /** Writes nothing more, whatever was begun; resolves when nothing of it is under way. */
  async silence(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#early;
  }

  #common(_id: string) {
    const { organisationId, workspaceId, threadId, _id: runId, fence, turn } = this.#run;
    return {
      _id,
      organisationId,
      workspaceId,
      threadId,
      runId,
      fence,
      turn,
      finish: null,
      createdAt: this.#now(),
    };
  }
}
