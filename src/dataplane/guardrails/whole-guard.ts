import { type PhaseOutcome, runPhase } from '../../guardrails/engine/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { withMember } from '../../lib/json-text/with-member.ts';
import { Pieces } from '../../lib/pieces.ts';
import { encodingOf } from '../../recording/log/answers/capture.ts';
import { decode } from '../../recording/log/answers/decode.ts';
import type { UpstreamFailure, UpstreamHeaders, UpstreamSink } from '../send/upstream.ts';
import { type ByteBody, bodyOf, unreadableBody } from './bodies/byte-body.ts';
import { checkedCall } from './checked-call.ts';
import { denialAnswer, type OwnAnswer } from './denial.ts';
import type { Guarding } from './guarded-answer.ts';
import { StreamGuard } from './stream-guard.ts';

/** Bytes of an answer that are read. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Where everything passed but for a guardrail that does not refuse. */
const FAILED_AND_ALLOWED = 246;

/** Collects an answer that is no stream, checks it, and gives it on as it may be given. */
export class WholeGuard implements UpstreamSink {
  readonly #guarding: Guarding;
  readonly #pieces = new Pieces();
  #status = 0;
  #headers: UpstreamHeaders = {};
  #state: 'collects' | 'passes on' | 'is over' = 'collects';

  constructor(guarding: Guarding) {
    this.#guarding = guarding;
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    this.#status = status;
    this.#headers = headers;
    this.#guarding.sink.opening?.();
    return true;
  }

  data(chunk: Buffer): boolean {
    if (this.#state === 'passes on') return this.#guarding.sink.data(chunk);
    if (this.#state === 'is over') return true;
    this.#pieces.add(chunk);
    if (this.#pieces.size > MAX_BYTES) this.#giveUp();
    return true;
  }

  end(trailers?: UpstreamHeaders): void {
    if (this.#state === 'passes on') this.#guarding.sink.end(trailers);
    if (this.#state !== 'collects') return;
    if (this.#guarding.guards.output.length > 0 && this.#isEventStream()) this.#asStream();
    else
      this.#finish(this.#read()).catch((error: unknown) =>
        this.#guarding.sink.fail('transport', error as Error),
      );
  }

  /** Whoever asked for events reads them as such, whatever the answer calls itself. */
  #isEventStream(): boolean {
    if (encodingOf(this.#headers) !== null) return false;
    return /^\ufeff?(?:(?:data|event|id|retry):|:)/.test(this.#pieces.joined().toString('utf8', 0, 16));
  }

  #asStream(): void {
    this.#state = 'is over';
    const stream = new StreamGuard(this.#guarding);
    stream.head(this.#status, this.#headers);
    stream.data(this.#pieces.joined());
    stream.end();
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    if (this.#state !== 'is over') this.#guarding.sink.fail(failure, cause);
    this.#state = 'is over';
  }

  /** An answer that is too large goes on unchecked where all its guardrails allow that. */
  #giveUp(): void {
    const { guards, stop } = this.#guarding;
    const why = `it has more than ${MAX_BYTES} bytes`;
    const held = this.#pieces.joined();
    if (guards.output.some(({ onUnreadable }) => onUnreadable === 'deny')) {
      stop();
      this.#finish(unreadableBody(held, why)).catch((error: unknown) =>
        this.#guarding.sink.fail('transport', error as Error),
      );
      return;
    }
    this.#state = 'passes on';
    if (this.#guarding.sink.head(this.#statusOf(guards.hasFailed), this.#headers))
      this.#guarding.sink.data(held);
  }

  async #read(): Promise<ByteBody> {
    const bytes = this.#pieces.joined();
    const type = String(this.#headers['content-type'] ?? '');
    const coding = encodingOf(this.#headers);
    if (coding === null) return bodyOf(bytes, type, 'output');
    const decoded = await decode(bytes, coding, { limit: MAX_BYTES, isPart: false });
    if (!decoded?.isWhole) return unreadableBody(bytes, `it is compressed as ${coding}`);
    const { 'content-encoding': _coding, ...headers } = this.#headers;
    this.#headers = headers;
    return bodyOf(decoded.bytes, type, 'output');
  }

  async #finish(reading: ByteBody | Promise<ByteBody>): Promise<void> {
    this.#state = 'is over';
    const body = await reading;
    const { guards } = this.#guarding;
    const outcome = guards.output.length > 0 ? await this.#check(body) : null;
    if (outcome?.denial) {
      const { leg } = this.#guarding;
      const refused = { endpoint: leg.call.route.endpoint, model: leg.target.model, isStream: false };
      this.#give(denialAnswer(outcome.denial, guards, refused, usageOf(body.value)));
      return;
    }
    const hasFailed = guards.hasFailed || outcome?.hasFailed === true;
    this.#give({
      status: this.#statusOf(hasFailed),
      headers: {},
      body: this.#withResults(body),
    });
  }

  async #check(body: ByteBody): Promise<PhaseOutcome> {
    const { leg, guards, house } = this.#guarding;
    const request = { value: (leg.translated?.from ?? leg.body).value, isEdited: guards.hasEdited };
    const outcome = await runPhase({
      phase: 'output',
      guardrails: guards.output,
      body,
      callOf: () =>
        checkedCall(leg, request, { status: this.#status, value: body.value, isEdited: body.isEdited }),
      placeholders: guards.placeholders,
      house,
      caller: leg.call.disconnect,
    });
    guards.after = outcome.results;
    if (outcome.later) guards.later.push({ phase: 'output', results: outcome.later });
    return outcome;
  }

  #statusOf(hasFailed: boolean): number {
    return hasFailed && this.#status === 200 ? FAILED_AND_ALLOWED : this.#status;
  }

  /** Only an object has a place for results. */
  #withResults(body: ByteBody): Buffer {
    const { results } = this.#guarding.guards;
    const bytes = body.bytes();
    if (results.before_request_hooks.length + results.after_request_hooks.length === 0) return bytes;
    return isObject(body.value)
      ? withMember(bytes, body.value, 'hook_results', JSON.stringify(results))
      : bytes;
  }

  #give({ status, headers, body }: OwnAnswer): void {
    const { sink } = this.#guarding;
    const { 'content-length': _length, etag: _etag, ...others } = this.#headers;
    const all = { ...others, ...headers, 'content-length': String(body.length) };
    if (sink.head(status, all)) sink.data(body);
    sink.end();
  }
}

/** What a withheld answer cost is told all the same. */
const usageOf = (value: unknown): unknown => (isObject(value) ? ((value as JsonObject).usage ?? null) : null);
