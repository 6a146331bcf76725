import type { Call } from '../../dataplane/call/call.ts';
import type { InProcessAnswer } from '../../dataplane/in-process.ts';
import type { ToolsAnswer, WriteEvents } from '../../dataplane/own-tools/runner.ts';
import { streamFormatOf, wholeFormatOf } from '../../formats/index.ts';
import { createEventReader } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import { type AskInProcess, askerOf, bytesOf, withoutLength } from './ask-model.ts';
import type { ToolFormat } from './formats/format.ts';
import type { ToolRounds } from './rounds.ts';
import { chatWeaver } from './stream/chat.ts';
import { messagesWeaver } from './stream/messages.ts';
import { responsesWeaver } from './stream/responses.ts';
import type { StreamWeaver, WeaverGiven } from './stream/weaver.ts';
import { withUsage } from './usage.ts';

const weavers: Readonly<Record<string, (given: WeaverGiven) => StreamWeaver>> = {
  chatComplete: chatWeaver,
  createResponse: responsesWeaver,
  messages: messagesWeaver,
};

/** Characters of one event of a model's stream. */
const MAX_EVENT = 8 * 1024 * 1024;

type Given = { rounds: ToolRounds; format: ToolFormat; offered: JsonObject; asked: JsonObject };

/** Streams what a model says in all rounds as one answer. */
export async function streamedAnswer(
  call: Call,
  { rounds, format, offered, asked }: Given,
  askInProcess: AskInProcess,
): Promise<ToolsAnswer> {
  const { endpoint } = call.route;
  const ask = askerOf(call, askInProcess);
  const weaver = weaverFor(endpoint, {
    ...{ toolOf: rounds.toolOf.bind(rounds), done: () => rounds.done, asked },
  });
  const first = await ask(offered, 0);
  const headers = withoutLength(first.headers);
  // Nothing has begun yet: the refusal goes to the caller as it is.
  if (first.status >= 300) return { status: first.status, headers, body: await bytesOf(first) };

  async function body(write: WriteEvents): Promise<void> {
    const failed = (message: string) =>
      write(streamFormatOf(endpoint).failure({ message, type: 'server_error', code: null }, ''));
    try {
      const last = await rounds.run(
        offered,
        async (given, round) => {
          const answer = round === 0 ? first : await ask(given, round);
          if (answer.status < 300) return told(answer, write);
          await failed(await reasonOf(answer));
          return null;
        },
        {
          begun: (made, tool) => void write(weaver.begun(made, tool)),
          made: (outcome) => void write(weaver.made(outcome)),
        },
      );
      if (last === null) return;
      const { done } = rounds;
      const all = done.turns.map((turn) => turn.answer);
      await write(weaver.end(format.finished(withUsage(last, all), done)));
    } catch (error) {
      await failed('The stream broke off inside the gateway.');
      throw error;
    }
  }

  /** The answer that a stream tells, of which the caller gets what is for it. */
  async function told(answer: InProcessAnswer, write: WriteEvents): Promise<JsonObject | null> {
    weaver.begin();
    let texts: string[] = [];
    const reader = createEventReader((event) => texts.push(weaver.take(event)), MAX_EVENT);
    for await (const piece of isStream(answer) ? answer.body : replayed(answer, endpoint)) {
      reader.feed(piece);
      await write(texts.join(''));
      texts = [];
    }
    return weaver.told();
  }

  const type = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
  return { status: 200, headers: { ...headers, ...type }, body };
}

function weaverFor(endpoint: string, given: WeaverGiven): StreamWeaver {
  const made = weavers[endpoint]?.(given);
  if (!made) throw new Error(`${endpoint} has no streams.`);
  return made;
}

const isStream = ({ headers }: InProcessAnswer): boolean =>
  String(headers['content-type'] ?? '').startsWith('text/event-stream');

/** A whole answer, which some providers give in any case, as a stream. */
async function* replayed(answer: InProcessAnswer, endpoint: string): AsyncGenerator<Buffer> {
  const value = parsedObject((await bytesOf(answer)).toString('utf8'));
  if (value) yield Buffer.from(wholeFormatOf(endpoint)?.replay(value, { withUsage: true }) ?? '');
}

async function reasonOf(answer: InProcessAnswer): Promise<string> {
  const { error } = parsedObject((await bytesOf(answer)).toString('utf8')) ?? {};
  return isObject(error) && typeof error.message === 'string'
    ? error.message
    : `The model answered HTTP ${answer.status}.`;
}
