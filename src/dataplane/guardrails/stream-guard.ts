import { type CheckedBody, type PhaseOutcome, runPhase } from '../../guardrails/engine/index.ts';
import type { PreparedGuardrail } from '../../guardrails/index.ts';
import { unreadableTexts } from '../../guardrails/segments/index.ts';
import { type Lane, ResultSum } from '../../guardrails/stream/index.ts';
import {
  createEventReader,
  type EventReader,
  EventTooLargeError,
  formatEvent,
  type ServerSentEvent,
} from '../../lib/event-stream/index.ts';
import { encodingOf } from '../../recording/log/answers/capture.ts';
import { isStrict } from '../leg/ask-dialect.ts';
import type { UpstreamFailure, UpstreamHeaders, UpstreamSink } from '../send/upstream.ts';
import { unreadableBody } from './bodies/byte-body.ts';
import { checkedCall } from './checked-call.ts';
import { denialAnswer } from './denial.ts';
import type { Guarding } from './guarded-answer.ts';
import { HeldEvents } from './held-events.ts';
import { LaneJudge } from './lane-judge.ts';
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
  readonly #judge: LaneJudge;
  readonly #sentText: ReportedText | null;
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
  /** It is compressed, and what refuses it is being asked. */
  #isRefused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(guarding: Guarding) {
    this.#guarding = guarding;
    const { output, placeholders } = guarding.guards;
    this.#judge = new LaneJudge(output, placeholders, (guardrails, body) => this.#run(guardrails, body));
    this.#events.keepsTokens = this.#judge.enforcing.length === 0;
    this.#sentText = this.#judge.reporting.length > 0 ? new ReportedText() : null;
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
    if (this.#judge.enforcing.length === 0) this.#begin();
    return true;
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver || this.#isRefused) return true;
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
    if (this.#isOver || this.#isRefused) return;
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
    // What comes while this is judged, and be it the end, has a turn of its own.
    const hasEnded = this.#ending !== null;
    const isFinal = hasEnded || this.#events.isEnded;
    for (const lane of this.#events.lanes.values()) {
      await this.#judgeLane(lane, isFinal);
      if (this.#isOver) return;
    }
    if (isFinal && this.#events.lanes.size === 0 && this.#judge.enforcing.length > 0)
      await this.#judgeNothing();
    if (this.#isOver) return;
    if (this.#events.heldLength > MAX_HELD)
      return this.#refuseUnread(`it has more than ${MAX_HELD} characters`);
    this.#send(this.#events.take());
    if (hasEnded) await this.#close();
  }

  async #judgeLane(lane: Lane, isFinal: boolean): Promise<void> {
    if (isFinal && lane.heldLength === 0 && this.#judged.has(lane)) return;
    for (const outcome of await this.#judge.judge(lane, isFinal)) {
      this.#judged.add(lane);
      this.#reported.add(outcome.results);
      if (outcome.denial) return this.#deny(outcome.denial);
    }
  }

  async #judgeNothing(): Promise<void> {
    const outcome = await this.#run(this.#judge.enforcing, unreadableBodyOfNothing());
    this.#reported.add(outcome.results);
    if (outcome.denial) this.#deny(outcome.denial);
  }

  #run(guardrails: readonly PreparedGuardrail[], body: CheckedBody): Promise<PhaseOutcome> {
    const { leg, guards, house } = this.#guarding;
    const request = { value: (leg.translated?.from ?? leg.body).value, isEdited: guards.hasEdited };
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

  #send(events: readonly ServerSentEvent[]): void {
    if (events.length === 0) return;
    const text = events.map(written).join('');
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
      const outcome = await this.#run(this.#judge.reporting, this.#sentText.body());
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
    const outcome = await this.#run(this.#judge.enforcing, unreadableBody(Buffer.alloc(0), why));
    this.#reported.add(outcome.results);
    if (outcome.denial) return this.#deny(outcome.denial);
    for (const lane of this.#events.lanes.values()) this.#judge.release(lane);
    this.#send(this.#events.take());
  }

  /** What is compressed is not unpacked on the way. */
  #packed(headers: UpstreamHeaders): boolean {
    const refusing = this.#judge.enforcing.find(({ onUnreadable }) => onUnreadable === 'deny');
    if (!refusing) {
      this.#hasHead = true;
      return this.#guarding.sink.head(this.#status, headers);
    }
    this.#isRefused = true;
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

const unreadableBodyOfNothing = (): CheckedBody => ({
  ...unreadableBody(Buffer.alloc(0), ''),
  texts: { ...unreadableTexts(''), unreadable: null },
});

const written = ({ id, name, data }: ServerSentEvent): string =>
  (id === null ? '' : `id: ${id}\n`) + formatEvent(name, data);
