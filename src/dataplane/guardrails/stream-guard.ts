import { type CheckedBody, type PhaseOutcome, runPhase } from '../../guardrails/engine/index.ts';
import type { PreparedGuardrail } from '../../guardrails/index.ts';
import { unreadableTexts } from '../../guardrails/segments/index.ts';
import { type Lane, ResultSum } from '../../guardrails/stream/index.ts';
import {
  createEventReader,
  type EventReader,
  EventTooLargeError,
  formatEvent,
} from '../../lib/event-stream/index.ts';
import { encodingOf } from '../../recording/log/answers/capture.ts';
import { isStrict } from '../leg/ask-dialect.ts';
import type { UpstreamFailure, UpstreamHeaders, UpstreamSink } from '../send/upstream.ts';
import { unreadableBody } from './byte-body.ts';
import { checkedCall } from './checked-call.ts';
import { denialAnswer } from './denial.ts';
import type { Guarding } from './guarded-answer.ts';
import { HeldEvents } from './held-events.ts';
import { ReportedText } from './reported-text.ts';
import { denialEvents } from './stream-denial.ts';

/** Characters of text that are held at most. */
const MAX_HELD = 4 * 1024 * 1024;
/** Milliseconds after which whoever waits is told that something is still to come. */
const KEEP_AWAKE = 10_000;

/**
 * Checks a stream while it is sent: what may still become part of a match is held back, all else goes on. Where a guardrail
 * needs the whole text, everything is held back.
 */
export class StreamGuard implements UpstreamSink {
  readonly #guarding: Guarding;
  readonly #events = new HeldEvents();
  readonly #reported = new ResultSum();
  /** Those that judge before anything is sent, and those that look at what was sent. */
  readonly #enforcing: readonly PreparedGuardrail[];
  readonly #reporting: readonly PreparedGuardrail[];
  readonly #reach: number;
  readonly #sentText: ReportedText | null;
  readonly #doubts = new Map<Lane, number>();
  readonly #judged = new Set<Lane>();
  #reader: EventReader | null = null;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #hasHead = false;
  #mayGoOn = true;
  #working: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #ending: 'end' | null = null;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(guarding: Guarding) {
    this.#guarding = guarding;
    const { output } = guarding.guards;
    const enforces = ({ stream, isAsync }: PreparedGuardrail) => stream !== 'report' && !isAsync;
    this.#enforcing = output.filter(enforces);
    this.#reporting = output.filter((guardrail) => !enforces(guardrail));
    this.#reach = reachOf(this.#enforcing);
    this.#sentText = this.#reporting.length > 0 ? new ReportedText() : null;
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    this.#status = status === 200 && this.#guarding.guards.hasFailed ? 246 : status;
    const { 'content-length': _length, ...others } = headers;
    this.#headers = others;
    if (encodingOf(headers) !== null) return this.#packed(headers);
    this.#reader = createEventReader((event) => this.#events.add(event), MAX_HELD);
    this.#guarding.sink.opening?.();
    this.#timer = setInterval(() => this.#keepAwake(), KEEP_AWAKE);
    this.#timer.unref();
    if (this.#enforcing.length === 0) this.#begin();
    return true;
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    if (this.#reader === null) return this.#guarding.sink.data(chunk);
    try {
      this.#reader.feed(chunk);
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error;
      this.#refuseUnread(`an event of it has more than ${MAX_HELD} characters`);
      return true;
    }
    this.#schedule();
    return this.#mayGoOn;
  }

  /** Whoever reads the answer can take more. */
  resumed(): void {
    this.#mayGoOn = true;
  }

  end(): void {
    this.#ending = 'end';
    if (this.#isOver) return;
    if (this.#reader === null) this.#finish();
    else this.#schedule();
  }

  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#guarding.sink.fail(failure, cause, lastWords);
  }

  /** Work goes on in the order in which events came, one piece after another. */
  #schedule(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#working = this.#working
      .then(() => {
        this.#isWaiting = false;
        return this.#isOver ? undefined : this.#work();
      })
      .catch((error: unknown) => this.fail('transport', error as Error));
  }

  async #work(): Promise<void> {
    const isFinal = this.#ending !== null || this.#events.isEnded;
    for (const lane of this.#events.lanes.values()) {
      await this.#judge(lane, isFinal);
      if (this.#isOver) return;
    }
    if (isFinal && this.#events.lanes.size === 0 && this.#enforcing.length > 0) await this.#judgeNothing();
    if (this.#isOver) return;
    if (this.#events.heldLength > MAX_HELD)
      return this.#refuseUnread(`it has more than ${MAX_HELD} characters`);
    this.#send(this.#events.take());
    if (this.#ending !== null) await this.#close();
  }

  async #judge(lane: Lane, isFinal: boolean): Promise<void> {
    if (this.#enforcing.length === 0) {
      lane.release(lane.end, [], 0, this.#guarding.guards.placeholders);
      return;
    }
    const to = isFinal ? lane.end : lane.judgeable(this.#reach);
    if (to === null || (isFinal && lane.heldLength === 0 && this.#judged.has(lane))) return;
    const body = lane.window(to);
    const outcome = await this.#run(this.#enforcing, body);
    if (outcome.denial && !isFinal && this.#mayVanish(lane, to)) return;
    this.#judged.add(lane);
    this.#reported.add(outcome.results);
    if (outcome.denial) return this.#deny(outcome.denial);
    this.#doubts.delete(lane);
    lane.release(to, body.spans, isFinal ? 0 : this.#reach, this.#guarding.guards.placeholders);
  }

  /** What is found at the end of a text may be another thing once more has come: it is judged again, and nothing sent. */
  #mayVanish(lane: Lane, to: number): boolean {
    const since = this.#doubts.get(lane);
    if (since === undefined) this.#doubts.set(lane, to);
    return since === undefined || to - since < this.#reach;
  }

  async #judgeNothing(): Promise<void> {
    const outcome = await this.#run(this.#enforcing, unreadableBodyOfNothing());
    this.#reported.add(outcome.results);
    if (outcome.denial) this.#deny(outcome.denial);
  }

  #run(guardrails: readonly PreparedGuardrail[], body: CheckedBody): Promise<PhaseOutcome> {
    const { leg, guards, house } = this.#guarding;
    const request = { value: (leg.translated?.from ?? leg.body).value, isEdited: guards.edited !== null };
    const answer = { status: this.#status, value: body.value, isEdited: body.isEdited };
    return runPhase({
      phase: 'output',
      guardrails,
      body,
      callOf: () => checkedCall(leg, request, answer),
      placeholders: guards.placeholders,
      house,
      caller: leg.call.disconnect,
    });
  }

  #send(text: string): void {
    if (text === '') return;
    this.#begin();
    this.#sentText?.add(text);
    this.#mayGoOn = this.#guarding.sink.data(Buffer.from(text));
  }

  #begin(): void {
    if (this.#hasHead) return;
    this.#hasHead = true;
    this.#guarding.sink.head(this.#status, this.#headers);
    const { before } = this.#guarding.guards;
    if (before.length > 0) this.#tell({ before_request_hooks: before });
  }

  /** Results in an event of their own, for callers who asked for more than the standard has. */
  #tell(hook_results: object): void {
    const { leg, sink } = this.#guarding;
    if (isStrict(leg)) return;
    const name = leg.call.route.endpoint === 'messages' ? 'hook_results' : null;
    sink.data(Buffer.from(formatEvent(name, JSON.stringify({ hook_results }))));
  }

  async #close(): Promise<void> {
    const { guards } = this.#guarding;
    this.#begin();
    if (this.#sentText) {
      const outcome = await this.#run(this.#reporting, this.#sentText.body());
      this.#reported.add(outcome.results);
      if (outcome.later) guards.later.push({ phase: 'output', results: outcome.later });
    }
    if (this.#isOver) return;
    guards.after = this.#reported.results;
    if (guards.after.length > 0) this.#tell({ after_request_hooks: guards.after });
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#guarding.sink.end();
  }

  #deny(guardrail: PreparedGuardrail): void {
    const { leg, guards, sink, stop } = this.#guarding;
    const { endpoint } = leg.call.route;
    guards.after = this.#reported.results;
    this.#isOver = true;
    clearInterval(this.#timer);
    if (this.#hasHead) sink.data(Buffer.from(denialEvents(endpoint, guards, this.#events)));
    else {
      const refused = { endpoint, model: leg.target.model, isStream: true };
      const { status, headers, body } = denialAnswer(guardrail, guards, refused);
      if (sink.head(status, { ...this.#headers, ...headers })) sink.data(body);
    }
    sink.end();
    stop();
  }

  /** Text that cannot be held is refused, or goes on unchecked where all guardrails allow that. */
  async #refuseUnread(why: string): Promise<void> {
    const outcome = await this.#run(this.#enforcing, unreadableBody(Buffer.alloc(0), why));
    this.#reported.add(outcome.results);
    if (outcome.denial) return this.#deny(outcome.denial);
    for (const lane of this.#events.lanes.values())
      lane.release(lane.end, [], 0, this.#guarding.guards.placeholders);
    this.#send(this.#events.take());
  }

  /** What is compressed is not unpacked on the way. */
  #packed(headers: UpstreamHeaders): boolean {
    const refusing = this.#enforcing.find(({ onUnreadable }) => onUnreadable === 'deny');
    if (!refusing) {
      this.#hasHead = true;
      return this.#guarding.sink.head(this.#status, headers);
    }
    this.#refuseUnread(`it is compressed as ${encodingOf(headers)}`).catch((error: unknown) =>
      this.fail('transport', error as Error),
    );
    return true;
  }

  #keepAwake(): void {
    if (this.#isOver || this.#reader === null) return;
    this.#begin();
    this.#guarding.sink.data(Buffer.from(': checked\n\n'));
  }
}

/** The longest reach of all checks; without one, everything is held. */
function reachOf(guardrails: readonly PreparedGuardrail[]): number {
  let longest = 1;
  for (const { stream, checks } of guardrails)
    for (const { reach } of checks)
      longest = Math.max(
        longest,
        stream === 'hold' ? Number.POSITIVE_INFINITY : (reach ?? Number.POSITIVE_INFINITY),
      );
  return longest;
}

const unreadableBodyOfNothing = (): CheckedBody => ({
  ...unreadableBody(Buffer.alloc(0), ''),
  texts: { ...unreadableTexts(''), unreadable: null },
});
