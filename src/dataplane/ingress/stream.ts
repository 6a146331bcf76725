import { type BlockListener, Blocks } from './blocks.ts';
import { errorText, firstChoice, NO_USAGE, readTurn, readUsage, type Usage } from './chat-turn.ts';
import { type Fields, isFields } from './fields.ts';
import type { IngressStream } from './ingress.ts';

/** How an answer ended, as chat says it. */
export type Ending = { finish: string | null; stopSequence: string | null; usage: Usage };

/** The events of one format; what its methods have to say is collected until `take`. */
export type EventWriter = BlockListener & {
  /** The first chunk is here. */
  begin(chat: Fields): void;
  /** `closeBlocks` closes the block that is open, and those that wait. */
  end(ending: Ending, closeBlocks: () => void): void;
  fail(message: string): void;
  /** The text of the events since the last time. */
  take(): string;
};

/** Drives the events of one format with the chunks of a chat stream. */
export function createIngressStream(writer: EventWriter): IngressStream {
  const blocks = new Blocks(writer);
  const ending: Ending = { finish: null, stopSequence: null, usage: NO_USAGE };
  let hasBegun = false;
  let isOver = false;

  function begin(chat: Fields): void {
    if (hasBegun) return;
    hasBegun = true;
    writer.begin(chat);
  }

  function fail(message: string): string {
    if (isOver) return '';
    isOver = true;
    begin({});
    writer.fail(message);
    return writer.take();
  }

  return {
    get isFinished() {
      return ending.finish !== null;
    },
    chunk(chat) {
      if (isOver) return '';
      const error = errorText(chat);
      if (error !== null) return fail(error);
      begin(chat);
      const choice = firstChoice(chat);
      if (isFields(choice?.delta)) blocks.take(readTurn(choice.delta));
      if (choice) note(choice, ending);
      ending.usage = readUsage(chat) ?? ending.usage;
      return writer.take();
    },
    end() {
      if (isOver) return '';
      isOver = true;
      begin({});
      writer.end(ending, () => blocks.end());
      return writer.take();
    },
    fail,
  };
}

/** Takes over what a choice says of its end. */
export function note(choice: Fields, ending: Ending): void {
  if (typeof choice.finish_reason === 'string') ending.finish = choice.finish_reason;
  // Some providers name the stop sequence that they met.
  if (typeof choice.stop_reason === 'string') ending.stopSequence = choice.stop_reason;
}
