import type { PhaseOutcome } from '../../../guardrails/engine/index.ts';
import type { PreparedGuardrail } from '../../../guardrails/index.ts';
import type { ServerSentEvent } from '../../../lib/event-stream/index.ts';
import { type JsonObject, parsedObject } from '../../../lib/json.ts';
import { bodyOf, unreadableBody } from '../../guardrails/bodies/byte-body.ts';
import { HeldEvents } from '../../guardrails/held-events.ts';
import { LaneJudge } from '../../guardrails/lane-judge.ts';
import { MessageGate, type SideMessage } from './gate.ts';
import { OpenAnswers } from './open-answers.ts';
import { cancelEvent, refusalEvent, refusedEnd } from './refusal-events.ts';
import { hooksOf, type SessionGuards } from './session-guards.ts';
import { SpokenTexts } from './spoken-texts.ts';

/** Characters of messages, sound among them, that wait for a verdict at most. */
const MAX_HELD = 16 * 1024 * 1024;

type Sides = { toCaller: (event: string) => void; toProvider: (event: string) => void };

/**
 * Checks the messages of a provider: what may still become part of a match waits, and all that comes behind it. Of an answer
 * that is refused, the caller gets nothing more but its end; the session goes on.
 */
export class ProviderGate extends MessageGate {
  readonly #guards: SessionGuards;
  readonly #sides: Sides;
  readonly #answers = new OpenAnswers();
  #events = new HeldEvents();
  #spoken = new SpokenTexts();
  #judge: LaneJudge | null = null;
  #judged: readonly PreparedGuardrail[] = [];

  constructor(guards: SessionGuards, sides: Sides) {
    super();
    this.#guards = guards;
    this.#sides = sides;
  }

  protected get isOpen(): boolean {
    return this.#guards.output().length === 0 && !this.#events.hasHeld && this.#guards.said.isEmpty;
  }

  protected get held(): number {
    return this.#events.heldData;
  }

  protected async check(message: SideMessage): Promise<void> {
    const data = message.data.toString('utf8');
    const payload = message.isBinary ? null : parsedObject(data);
    if (payload === null) return this.#checkAlone(message);
    if (payload.type === 'response.created') this.#guards.said.forget();
    if (this.#guards.output().length === 0 && !this.#events.hasHeld) {
      this.#answers.settle();
      return this.pass(message);
    }
    if (this.#answers.see(payload)) {
      if (payload.type === 'response.done') this.#sides.toCaller(refusedEnd(payload));
      return;
    }
    this.#events.add({ id: null, name: null, data }, payload);
    if (this.#judgeNow().reporting.length > 0) this.#spoken.add(payload);
    await this.#work(!this.#answers.isOpen);
  }

  protected end(): Promise<void> {
    return this.#work(true);
  }

  /** By the guardrails that hold now. */
  #judgeNow(): LaneJudge {
    const output = this.#guards.output();
    if (this.#judge === null || this.#judged !== output) {
      this.#judged = output;
      this.#judge = new LaneJudge(output, this.#guards.placeholders, (guardrails, body) =>
        this.#guards.run('output', body, guardrails),
      );
    }
    return this.#judge;
  }

  /** `isFinal`: nothing is under way of which more could come. */
  async #work(isFinal: boolean): Promise<void> {
    const judge = this.#judgeNow();
    for (const lane of this.#events.lanes.values()) {
      if (isFinal && lane.heldLength === 0) continue;
      const denied = (await judge.judge(lane, isFinal)).find(({ denial }) => denial);
      if (denied) return this.#refuse(denied);
    }
    if (this.#events.heldData > MAX_HELD && !(await this.#mayPassUnread())) return;
    this.#send(this.#events.take());
    if (!isFinal) return;
    for (const body of this.#spoken.bodies()) await this.#guards.run('output', body, judge.reporting);
    this.#begin();
  }

  #begin(): void {
    this.#answers.settle();
    this.#events = new HeldEvents();
    this.#spoken = new SpokenTexts();
  }

  #send(events: readonly ServerSentEvent[]): void {
    for (const { data } of events) this.pass({ data: Buffer.from(data), isBinary: false });
  }

  #refuse(outcome: PhaseOutcome): void {
    const { underWay, ended } = this.#answers.refuse();
    this.#begin();
    this.#sides.toCaller(refusalEvent(hooksOf('output', outcome), null));
    for (const id of underWay) this.#sides.toProvider(cancelEvent(id));
    for (const done of ended as readonly JsonObject[]) this.#sides.toCaller(refusedEnd(done));
  }

  /** What cannot be held is refused, or goes on unchecked where all guardrails allow that. */
  async #mayPassUnread(): Promise<boolean> {
    const judge = this.#judgeNow();
    const why = `more than ${MAX_HELD} characters of it wait`;
    const body = unreadableBody(Buffer.alloc(0), why);
    const outcome = await this.#guards.run('output', body, judge.enforcing);
    if (outcome.denial) {
      this.#refuse(outcome);
      return false;
    }
    for (const lane of this.#events.lanes.values()) judge.release(lane);
    return true;
  }

  /** A message that is no event is judged by itself, behind all that came before it. */
  async #checkAlone(message: SideMessage): Promise<void> {
    await this.#work(true);
    const guardrails = this.#guards.output();
    if (guardrails.length === 0) return this.pass(message);
    const body = bodyOf(message.data, '', 'output');
    const outcome = await this.#guards.run('output', body, guardrails);
    if (outcome.denial) return this.#refuse(outcome);
    this.pass(body.isEdited ? { ...message, data: body.bytes() } : message);
  }
}
