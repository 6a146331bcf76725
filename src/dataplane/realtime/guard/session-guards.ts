import { GatewayError, toGatewayError } from '../../../errors/index.ts';
import { type CheckedBody, type PhaseOutcome, runPhase } from '../../../guardrails/engine/index.ts';
import type { Phase, PreparedGuardrail } from '../../../guardrails/index.ts';
import { Placeholders } from '../../../guardrails/segments/index.ts';
import { ResultSum } from '../../../guardrails/stream/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { DataplaneDependencies } from '../../dependencies.ts';
import { JsonBytes, unreadableBody } from '../../guardrails/bodies/byte-body.ts';
import { checkedCall } from '../../guardrails/checked-call.ts';
import { denialError } from '../../guardrails/denial.ts';
import { aboutCallsOnly, guardrailsOf } from '../../guardrails/find-guardrails.ts';
import { LegGuardrails } from '../../guardrails/leg-guardrails.ts';
import type { LateResults } from '../../guardrails/logged.ts';
import type { Leg } from '../../leg/leg.ts';
import { Said } from './said.ts';

type Session = Pick<Leg, 'call' | 'leaf' | 'target'>;
type Needed = Pick<DataplaneDependencies, 'directory' | 'checkHouse' | 'log'>;

const NOTHING = Buffer.alloc(0);

/** The guardrails of a session, which change while it is open, and what they came to so far. */
export class SessionGuards {
  readonly said = new Said();
  readonly placeholders = new Placeholders();
  /** For the provider to know when the session is opened. */
  headers: Readonly<Record<string, string>> = {};
  readonly #session: Session;
  readonly #needed: Needed;
  readonly #over = new AbortController();
  readonly #sums = { input: new ResultSum(), output: new ResultSum() };
  readonly #later = { input: new ResultSum(), output: new ResultSum() };
  readonly #waiting = new Set<Promise<void>>();
  #current: LegGuardrails | null = null;

  constructor(session: Session, needed: Needed) {
    this.#session = session;
    this.#needed = needed;
  }

  input(): readonly PreparedGuardrail[] {
    return this.#current?.input ?? [];
  }

  output(): readonly PreparedGuardrail[] {
    return this.#current?.output ?? [];
  }

  /** Takes up what is enforced by now. Throws where that cannot be run. */
  async renew(): Promise<void> {
    const { call } = this.#session;
    call.placeholders = this.placeholders;
    const found = await guardrailsOf(this.#session, this.#needed.directory);
    const { input = [], output = [] } = this.#current ?? {};
    const isSame = found !== null && areSame(found.input, input) && areSame(found.output, output);
    if (!isSame) this.#current = found;
  }

  /** The same while the session is open: what is enforced and cannot be run ends it. */
  async recheck(): Promise<void> {
    try {
      await this.renew();
    } catch (thrown) {
      const { code, message } = toGatewayError(thrown);
      throw code === 'GUARDRAIL_BROKEN' ? new GatewayError('FORBIDDEN', { message }) : thrown;
    }
  }

  /** Judges the call that opens the session, before it is opened; throws where it is refused. */
  async judgeOpening(): Promise<void> {
    const guardrails = aboutCallsOnly(this.input());
    if (guardrails.length === 0) return;
    const { body } = this.#session.call;
    const opening = body.kind === 'json' ? new JsonBytes(body.bytes, body.value, 'input') : unreadable();
    const outcome = await this.run('input', opening, guardrails);
    this.headers = outcome.headers;
    if (outcome.denial) throw denialError(hooksOf('input', outcome));
  }

  /** Runs guardrails, and keeps what they came to. */
  async run(
    phase: Phase,
    body: CheckedBody,
    guardrails: readonly PreparedGuardrail[],
  ): Promise<PhaseOutcome> {
    const { checkHouse: house, log } = this.#needed;
    const { signal } = this.#over;
    const outcome = await runPhase({
      phase,
      guardrails,
      body,
      callOf: () => this.#callOf(phase, body),
      placeholders: this.placeholders,
      house,
      caller: { happened: signal.aborted, signal },
    });
    this.#sums[phase].add(outcome.results);
    const later = outcome.later
      ?.then((results) => this.#later[phase].add(results))
      .catch((error: unknown) => log.error({ error }, 'Guardrails of a session could not be run.'));
    if (later) {
      this.#waiting.add(later);
      later.finally(() => this.#waiting.delete(later));
    }
    return outcome;
  }

  /** The session is over: checks that still run are cut off, but for those that nobody waits for. */
  async close(): Promise<{ guards: LegGuardrails | null; late: LateResults }> {
    this.#over.abort();
    await Promise.all(this.#waiting);
    const guards = this.#current ?? new LegGuardrails({ input: [], output: [] }, [], this.placeholders);
    guards.before = this.#sums.input.results;
    guards.after = this.#sums.output.results;
    const late = (['input', 'output'] as const).map((phase) => ({
      phase,
      results: this.#later[phase].results,
    }));
    const count = guards.before.length + guards.after.length + guards.exempted.length;
    const isEmpty = count === 0 && late.every(({ results }) => results.length === 0);
    return { guards: isEmpty ? null : guards, late };
  }

  #callOf(phase: Phase, body: CheckedBody) {
    const { call } = this.#session;
    const known = call.body.kind === 'json' ? call.body.value : {};
    const asked = { ...known, ...(phase === 'input' ? settingsIn(body.value) : {}) };
    const answer = phase === 'output' ? { ...stateOf(body), status: 200 } : null;
    const request = { value: asked, isEdited: phase === 'input' && body.isEdited };
    const checked = checkedCall(this.#session, request, answer);
    const model = typeof asked.model === 'string' ? asked.model : checked.model;
    const said = () => this.said.texts.map(({ text }) => text).join('\n');
    return Object.assign(checked, { model, requestText: said });
  }
}

const stateOf = ({ value, isEdited }: CheckedBody) => ({ value, isEdited });

const unreadable = () => unreadableBody(NOTHING, '');

/** The settings that an event brings: those of the session, or of one answer. */
function settingsIn(event: unknown): JsonObject {
  if (!isObject(event)) return {};
  if (isObject(event.session)) return event.session;
  return isObject(event.response) ? event.response : event;
}

function areSame(left: readonly PreparedGuardrail[], right: readonly PreparedGuardrail[]): boolean {
  return left.length === right.length && left.every((guardrail, at) => guardrail === right[at]);
}

/** What one run came to, as an error tells it. */
export function hooksOf(phase: Phase, { results }: PhaseOutcome): LegGuardrails {
  const guards = new LegGuardrails({ input: [], output: [] }, [], new Placeholders());
  if (phase === 'input') guards.before = results;
  else guards.after = results;
  return guards;
}
