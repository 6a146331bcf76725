import type { Teller } from '../events/teller.ts';
import { turnId } from '../ids.ts';
import type {
  CallsItem,
  ContentPart,
  FunctionCall,
  IncompleteReason,
  MessageItem,
  TokenCounts,
  TurnFinish,
} from '../items.ts';
import type { RunDocument, RunError, StepRecord, StepStatus } from '../run.ts';
import type { TurnPiece } from './read-chat.ts';

/** Writes an item of the run's thread; throws where another process has taken the run over. */
export type WriteItem = (item: MessageItem | CallsItem) => Promise<void>;

/** Places of what one turn makes, by which their ids follow from the run's. */
const MESSAGE = 0;
const MESSAGE_STEP = 1;
const CALLS_STEP = 2;
const FIRST_CALL = 16;

const nothing: TokenCounts = { promptTokens: 0, completionTokens: 0 };

/** Turns what the model says in one turn into steps, a message and calls, and tells of each as it comes. */
export class Speaker {
  readonly steps: StepRecord[] = [];
  readonly calls: FunctionCall[] = [];
  #message: MessageItem | null = null;
  readonly #run: RunDocument;
  readonly #teller: Teller;
  readonly #write: WriteItem;
  readonly #now: () => Date;

  constructor(
    run: RunDocument,
    { teller, write, now }: { teller: Teller; write: WriteItem; now: () => Date },
  ) {
    this.#run = run;
    this.#teller = teller;
    this.#write = write;
    this.#now = now;
  }

  /** The message as far as it is said; null before its first word, and once it is written. */
  get openMessage(): MessageItem | null {
    return this.#message;
  }

  take(piece: TurnPiece): Promise<void> | undefined {
    if (piece.kind === 'text' || piece.kind === 'refusal') {
      this.#say(piece.kind, piece.text);
      return;
    }
    if (piece.kind === 'call') return this.#beginCall(piece);
    const call = this.calls[piece.index];
    const step = this.steps.at(-1);
    if (!call || !step) return;
    call.arguments += piece.text;
    this.#teller.stepDelta(step.id, piece.index, { function: { arguments: piece.text } });
  }

  #say(kind: 'text' | 'refusal', text: string): void {
    const message = this.#message ?? this.#beginMessage();
    let at = message.content.findIndex(({ type }) => type === kind);
    const isFirst = at < 0;
    if (isFirst) at = message.content.push(partOf(kind)) - 1;
    const part = message.content[at] as ContentPart;
    if (part.type === 'refusal') part.refusal += text;
    else if (part.type === 'text') part.text.value += text;
    const delta = { value: text, ...(isFirst && { annotations: [] }) };
    this.#teller.messageDelta(message._id, {
      index: at,
      type: kind,
      ...(kind === 'text' ? { text: delta } : { refusal: text }),
    });
  }

  #beginMessage(): MessageItem {
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
    this.#beginStep(MESSAGE_STEP, 'message_creation', message._id);
    this.#teller.message('created', message);
    this.#teller.message('in_progress', message);
    this.#message = message;
    return message;
  }

  async #beginCall({ index, name }: { index: number; name: string }): Promise<void> {
    // At most one step is open: the words that come before the calls end here.
    if (this.#message) await this.endMessage('completed', null, null);
    const step = this.calls.length > 0 ? this.steps.at(-1) : this.#beginStep(CALLS_STEP, 'tool_calls', null);
    const id = turnId('call', this.#run._id, this.#run.turn, FIRST_CALL + index);
    this.calls.push({ id, name, arguments: '', output: null });
    this.#teller.stepDelta(step?.id ?? '', index, { id, function: { name, arguments: '', output: null } });
  }

  #beginStep(place: number, type: StepRecord['type'], messageId: string | null): StepRecord {
    const step: StepRecord = {
      id: turnId('step', this.#run._id, this.#run.turn, place),
      turn: this.#run.turn,
      type,
      status: 'in_progress',
      messageId,
      createdAt: this.#now(),
      endedAt: null,
      usage: null,
      lastError: null,
    };
    this.steps.push(step);
    this.#teller.step('created', this.#run, step);
    this.#teller.step('in_progress', this.#run, step);
    return step;
  }

  /** Ends the message that is open, in the store first. `finish`: where the whole turn ends with it. */
  async endMessage(
    status: 'completed' | 'incomplete',
    reason: IncompleteReason | null,
    finish: TurnFinish | null,
  ): Promise<void> {
    const message = this.#message;
    if (!message) return;
    const at = this.#now();
    Object.assign(message, {
      status,
      incompleteReason: reason,
      completedAt: status === 'completed' ? at : null,
      incompleteAt: status === 'completed' ? null : at,
      finish,
    });
    await this.#write(message);
    this.#message = null;
    this.#teller.message(status, message);
    if (status === 'completed' || reason === 'max_tokens')
      this.#endStep('completed', finish?.usage ?? nothing, null);
  }

  /** Writes the calls, which wait for their outputs in a step that stays open. */
  async endCalls(finish: TurnFinish): Promise<void> {
    const step = this.steps.at(-1);
    if (!step || this.calls.length === 0) return;
    step.usage = finish.usage;
    await this.#write({ ...this.#common(step.id), kind: 'calls', calls: this.calls, finish });
  }

  /** Ends what is open because the run ends before the turn does. */
  async breakOff(reason: IncompleteReason, status: StepStatus, error: RunError | null): Promise<void> {
    if (this.#message) await this.endMessage('incomplete', reason, null);
    if (this.steps.at(-1)?.status === 'in_progress') this.#endStep(status, nothing, error);
  }

  #endStep(status: StepStatus, usage: TokenCounts, error: RunError | null): void {
    const step = this.steps.at(-1);
    if (!step) return;
    Object.assign(step, { status, endedAt: this.#now(), usage, lastError: error });
    this.#teller.step(status, this.#run, step, this.calls);
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

const partOf = (kind: 'text' | 'refusal'): ContentPart =>
  kind === 'text' ? { type: 'text', text: { value: '', annotations: [] } } : { type: 'refusal', refusal: '' };
