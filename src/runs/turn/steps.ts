import type { Teller } from '../events/teller.ts';
import { turnId } from '../ids.ts';
import type { RunCall, TokenCounts } from '../items.ts';
import type { RunDocument, RunError, StepRecord, StepStatus } from '../run.ts';

export const noTokens: TokenCounts = { promptTokens: 0, completionTokens: 0 };

/** What a turn makes steps for, with the places by which their ids follow from the run's. */
const kinds = {
  message: { place: 1, type: 'message_creation', isHosted: false },
  forCaller: { place: 2, type: 'tool_calls', isHosted: false },
  hosted: { place: 3, type: 'tool_calls', isHosted: true },
} as const;

/** The id of the item that has the calls of a turn; the step that waits for the caller has the same. */
export const callsItemId = (runId: string, turn: number): string =>
  turnId('step', runId, turn, kinds.forCaller.place);

type StepEnd = { usage: TokenCounts; error?: RunError | null; calls: readonly RunCall[] };

/** The steps of one turn, told as they begin and end: at most one is open. */
export class TurnSteps {
  readonly all: StepRecord[] = [];
  readonly #run: RunDocument;
  readonly #teller: Teller;
  readonly #now: () => Date;
  #isContinued = false;

  constructor(run: RunDocument, teller: Teller, now: () => Date) {
    this.#run = run;
    this.#teller = teller;
    this.#now = now;
  }

  /** Goes on with the step that has waited for the caller, where the turn has one: this claim's readers are told of it anew. */
  continue(): void {
    const stored = this.#run.steps.filter(({ turn }) => turn === this.#run.turn);
    if (!stored.some(({ type, status }) => type === 'tool_calls' && status === 'in_progress')) return;
    this.all.push(...stored.map((step) => ({ ...step })));
    const { open } = this;
    if (!open) throw new Error('The step that waits for the caller is the last one of its turn.');
    this.#isContinued = true;
    this.#teller.step('created', this.#run, open);
    this.#teller.step('in_progress', this.#run, open);
  }

  get isContinued(): boolean {
    return this.#isContinued;
  }

  /** The step that is in progress; undefined between steps. */
  get open(): StepRecord | undefined {
    const last = this.all.at(-1);
    return last?.status === 'in_progress' ? last : undefined;
  }

  begin(kind: keyof typeof kinds, messageId: string | null): StepRecord {
    const { place, type, isHosted } = kinds[kind];
    const step: StepRecord = {
      id: turnId('step', this.#run._id, this.#run.turn, place),
      turn: this.#run.turn,
      type,
      isHosted,
      status: 'in_progress',
      messageId,
      createdAt: this.#now(),
      endedAt: null,
      usage: null,
      lastError: null,
    };
    this.all.push(step);
    this.#teller.step('created', this.#run, step);
    this.#teller.step('in_progress', this.#run, step);
    return step;
  }

  /** Ends the step that is open, and tells of it. */
  end(status: Exclude<StepStatus, 'in_progress'>, how: StepEnd): void {
    this.close(status, how)();
  }

  /** Ends the step that is open; answers what tells of it. */
  close(status: Exclude<StepStatus, 'in_progress'>, { usage, error = null, calls }: StepEnd): () => void {
    const step = this.open;
    if (!step) return () => undefined;
    Object.assign(step, { status, endedAt: this.#now(), usage, lastError: error });
    return () => this.#teller.step(status, this.#run, step, calls);
  }

  /** Takes over a step that a process before this one has ended. */
  recall(messageId: string, { at, usage }: { at: Date; usage: TokenCounts }): void {
    const { place, type, isHosted } = kinds.message;
    const id = turnId('step', this.#run._id, this.#run.turn, place);
    const ended = { status: 'completed', createdAt: at, endedAt: at, usage, lastError: null } as const;
    this.all.push({ id, turn: this.#run.turn, type, isHosted, messageId, ...ended });
  }
}
