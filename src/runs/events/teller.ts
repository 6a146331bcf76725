import type { OpenAiError } from '../../errors/index.ts';
import type { MessageItem, RunCall } from '../items.ts';
import type { RunDocument, StepRecord } from '../run.ts';
import type { RunEventWriter } from './batches.ts';
import { EventChannel, type RunEvent } from './channel.ts';
import { Sequencer } from './sequencer.ts';
import { messageShape, runShape, shortened, stepShape } from './shapes.ts';

const done = { event: 'done', data: '[DONE]' };

/** Tells whoever reads along what becomes of a run, and keeps it for others; where nobody reads, nothing is made of it. */
export class Teller {
  readonly channel: EventChannel | null;
  readonly #sequencer = new Sequencer();
  #writer: RunEventWriter | null;

  /** `mostWaiting`: bytes that may wait for the reader. */
  constructor(isRead: boolean, writer: RunEventWriter | null = null, mostWaiting?: number) {
    this.channel = isRead ? new EventChannel(mostWaiting) : null;
    this.#writer = writer;
  }

  /** From now on the run is told of by another claim. */
  continueWith(writer: RunEventWriter | null): void {
    this.#writer?.flush();
    this.#writer = writer;
  }

  run(event: string, run: RunDocument): void {
    this.#tell(`thread.run.${event}`, run._id, () => runShape(run));
  }

  step(event: string, run: RunDocument, step: StepRecord, calls: readonly RunCall[] = []): void {
    this.#tell(`thread.run.step.${event}`, step.id, () => stepShape(run, step, calls));
  }

  /** `entry`: the new part of a call, with its type. */
  stepDelta(id: string, index: number, entry: { type: string } & Record<string, unknown>): void {
    const details = { type: 'tool_calls', tool_calls: [{ index, ...entry }] };
    this.#tell('thread.run.step.delta', id, () => ({
      id,
      object: 'thread.run.step.delta',
      delta: { step_details: details },
    }));
  }

  message(event: string, message: MessageItem): void {
    this.#tell(`thread.message.${event}`, message._id, () => messageShape(message));
  }

  messageDelta(id: string, part: object): void {
    this.#tell('thread.message.delta', id, () => ({
      id,
      object: 'thread.message.delta',
      delta: { content: [part] },
    }));
  }

  /** Something that comes before the run. */
  say(event: string, data: unknown): void {
    this.#push({ event, data });
  }

  /** The stream ends without the run's end. Older SDKs read the nested form, newer ones the flat one. */
  break(error: OpenAiError): void {
    this.channel?.push({ event: 'error', data: { ...error, error } });
    this.channel?.push(done);
    this.channel?.end();
    this.#writer?.flush();
  }

  done(): void {
    this.#push(done);
    this.channel?.end();
    this.#writer?.flush();
  }

  #tell(event: string, id: string, data: () => unknown): void {
    this.#sequencer.check(event, id);
    if (this.#writer || (this.channel && !this.channel.isOver)) this.#push({ event, data: data() });
  }

  #push(event: RunEvent): void {
    this.channel?.push(event);
    this.#writer?.push(shortened(event));
  }
}
