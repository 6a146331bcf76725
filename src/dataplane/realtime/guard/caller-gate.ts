import { isObject } from '../../../lib/json.ts';
import { aboutCallsOnly } from '../../guardrails/find-guardrails.ts';
import { MessageGate, type SideMessage } from './gate.ts';
import { refusalEvent } from './refusal-events.ts';
import { hooksOf, type SessionGuards } from './session-guards.ts';
import { SessionMessage } from './session-message.ts';

/** Checks the messages of a caller. One that is refused does not reach the provider, and the session goes on. */
export class CallerGate extends MessageGate {
  readonly #guards: SessionGuards;
  readonly #answer: (event: string) => void;

  /** `answer` tells the caller. */
  constructor(guards: SessionGuards, answer: (event: string) => void) {
    super();
    this.#guards = guards;
    this.#answer = answer;
  }

  protected get isOpen(): boolean {
    return this.#guards.input().length === 0;
  }

  protected get held(): number {
    return 0;
  }

  protected async check(message: SideMessage): Promise<void> {
    const { said } = this.#guards;
    const body = new SessionMessage(message, said.texts);
    const guardrails = body.saysSomething ? this.#guards.input() : aboutCallsOnly(this.#guards.input());
    if (guardrails.length > 0) {
      const outcome = await this.#guards.run('input', body, guardrails);
      if (outcome.denial) {
        const eventId = isObject(body.value) ? body.value.event_id : null;
        return this.#answer(refusalEvent(hooksOf('input', outcome), eventId));
      }
    }
    said.add(body.own);
    this.pass(body.isEdited ? { ...message, data: body.bytes() } : message);
  }

  protected async end(): Promise<void> {}
}
