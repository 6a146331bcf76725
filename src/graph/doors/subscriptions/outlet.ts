import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { GatewayError } from '../../../errors/index.ts';
import { toGraphError } from '../errors.ts';
import { formatResult } from './operations.ts';

/** The way of one event stream to its client. */
export type Outlet = {
  /** Resolves when the client has taken the result before: a slow one holds its subscription back. */
  room(): Promise<void>;
  /** Writes the messages out; resolves when the answer is over, however it ends. */
  pour(messages: AsyncGenerator<string, void, undefined>): Promise<void>;
  /** Ends the stream with an error as its last result. */
  fail(error: GatewayError): void;
  /** Ends the stream without a further message. */
  end(): void;
};

/** Milliseconds after which a client that reads nothing is cut off; pings come more often. */
const STALL_TIMEOUT = 60_000;

/** Writes to an answer that stays open, never faster than its client reads. */
export function createOutlet(response: ServerResponse): Outlet {
  let messages: AsyncGenerator<string, void, undefined> | null = null;
  let unwritten = 0;
  let resume: (() => void) | null = null;
  let failure: GatewayError | null = null;
  let ended = false;

  function end(): void {
    ended = true;
    unwritten = 0;
    resume?.();
    void messages?.return();
  }

  function fail(error: GatewayError): void {
    failure ??= error;
    end();
  }

  const write = (text: string) => new Promise((resolve) => response.write(text, resolve));

  async function writeAll(source: AsyncGenerator<string, void, undefined>): Promise<void> {
    for await (const message of source) {
      if (ended) return;
      await write(message);
      if (!message.startsWith('event: next')) continue;
      unwritten = 0;
      resume?.();
    }
  }

  return {
    async room() {
      if (unwritten > 0 && !ended) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      unwritten++;
    },
    async pour(source) {
      messages = source;
      response.setTimeout(STALL_TIMEOUT, () => response.destroy());
      try {
        await writeAll(source);
      } catch (error) {
        failure ??= toGraphError(error);
      }
      response.end(failure ? lastWords(failure) : undefined);
    },
    fail,
    end,
  };
}

function lastWords(error: GatewayError): string {
  const errors = [new GraphQLError(error.message, { originalError: error })];
  return `event: next\ndata: ${JSON.stringify(formatResult({ errors }))}\n\nevent: complete\ndata:\n\n`;
}
