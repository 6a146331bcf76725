import type { OpenAiError } from '../../errors/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { RunEventWriter } from '../events/batches.ts';
import { Teller } from '../events/teller.ts';
import { isResponse, type RunDocument } from '../run.ts';
import type { ResponseItem } from './record.ts';
import { responseShape } from './shape.ts';

/** The model did not answer: what its caller is told in place of a response. */
export type Refusal = { status: number; headers: Record<string, unknown>; body: string };

/** Bytes that may wait for a reader: the last event has all of an answer. */
const MAX_WAITING = 64 * 1024 * 1024;

/** Numbers that the events of one claim have for themselves: those of a later claim come behind all of them. */
const NUMBERS_OF_CLAIM = 1_000_000;

/** Tells whoever reads along what becomes of a response, in the events of responses. */
export class ResponseTeller extends Teller {
  /** What the model has said, once it has. */
  output: readonly ResponseItem[] = [];
  #number: number;

  constructor(run: RunDocument, isRead: boolean, writer: RunEventWriter | null) {
    super(isRead, writer, MAX_WAITING);
    this.#number = run.fence > 1 ? (run.fence - 1) * NUMBERS_OF_CLAIM : 0;
  }

  override run(event: string, run: RunDocument): void {
    if (!isResponse(run) || (event === 'queued' && !run.response.isBackground)) return;
    // Nothing of a response is named after the time that it may take.
    const name = event === 'expired' ? 'failed' : event;
    this.tell(`response.${name}`, { response: responseShape(run, this.output) });
  }

  tell(type: string, fields: JsonObject): void {
    this.say(type, { type, sequence_number: this.#number++, ...fields });
  }

  refuse(refusal: Refusal): void {
    this.say('refused', refusal);
  }

  override break({ message, code, param }: OpenAiError): void {
    this.tell('error', { code, message, param });
    this.done();
  }
}
