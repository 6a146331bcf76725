import { isObject, type JsonObject } from '../../lib/json.ts';
import { errorText } from '../chat-completions/errors.ts';
import { firstChoice, NO_USAGE, readTurn, readUsage, type TurnUsage } from '../chat-completions/turn.ts';
import { type BlockListener, Blocks, UntranslatableError } from './blocks.ts';
import type { TranslatedStream } from './translation.ts';

/** What a chat completion says of its end. */
export type ChatEnding = { finish: string | null; stopSequence: string | null; usage: TurnUsage };

/** Writes the events of one format. Each method adds to a text, which `take` returns and empties. */
export type EventWriter = BlockListener & {
  /** `chat`: the first chunk. */
  begin(chat: JsonObject): void;
  /** `closeBlocks` closes the open block, then opens and closes each one that waits. */
  end(ending: ChatEnding, closeBlocks: () => void): void;
  fail(message: string): void;
  /** The events since the last call, as text. */
  take(): string;
};

/** Feeds the chunks of a chat stream to the writer of one format's events. */
export function createTranslatedStream(writer: EventWriter): TranslatedStream {
  const blocks = new Blocks(writer);
  const ending: ChatEnding = { finish: null, stopSequence: null, usage: NO_USAGE };
  let state: 'empty' | 'open' | 'over' = 'empty';
  let failure: string | null = null;

  function begin(chat: JsonObject): void {
    if (state === 'empty') writer.begin(chat);
    state = 'open';
  }

  function fail(message: string): string {
    if (state === 'over') return '';
    begin({});
    state = 'over';
    failure = message;
    writer.fail(message);
    return writer.take();
  }

  function read(chat: JsonObject): void {
    begin(chat);
    const choice = firstChoice(chat);
    if (isObject(choice?.delta)) blocks.take(readTurn(choice.delta));
    if (choice) note(choice, ending);
    ending.usage = readUsage(chat) ?? ending.usage;
  }

  return {
    get isFinished() {
      return ending.finish !== null;
    },
    get failure() {
      return failure;
    },
    chunk(chat) {
      if (state === 'over') return '';
      const error = errorText(chat);
      if (error !== null) return fail(error);
      try {
        read(chat);
        return writer.take();
      } catch (thrown) {
        if (thrown instanceof UntranslatableError) return fail(thrown.message);
        throw thrown;
      }
    },
    end() {
      if (state === 'over') return '';
      begin({});
      state = 'over';
      writer.end(ending, () => blocks.end());
      return writer.take();
    },
    fail,
  };
}

/** Copies what a choice says of its end. */
export function note(choice: JsonObject, ending: ChatEnding): void {
  if (typeof choice.finish_reason === 'string') ending.finish = choice.finish_reason;
  // Some providers name the stop sequence that they met.
  if (typeof choice.stop_reason === 'string') ending.stopSequence = choice.stop_reason;
}
