import { createEventReader } from '../../lib/event-stream/reader.ts';
import type { TokenCounts } from '../items.ts';
import { errorIn } from './last-error.ts';

/** What the model says in a turn, piece by piece. */
export type TurnPiece =
  | { kind: 'text'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'call'; index: number; name: string }
  | { kind: 'arguments'; index: number; text: string };

/** What the model has said in a whole turn. */
export type TurnAnswer = {
  text: string;
  refusal: string;
  calls: { name: string; arguments: string }[];
  /** Why it stopped, in the words of chat completions. */
  finish: string;
  /** Null where the provider counted nothing. */
  usage: TokenCounts | null;
};

/** The stream of an answer broke off, or said that it failed. */
export class BrokenAnswer extends Error {}

type Delta = {
  content?: string | null;
  refusal?: string | null;
  tool_calls?: { index?: number; function?: { name?: string; arguments?: string } }[] | null;
};
type Chunk = {
  choices?: { delta?: Delta; finish_reason?: string | null }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  error?: unknown;
};

/** Bytes of a stream at most: what a model says has to fit into a document. */
const MAX_BYTES = 12 * 1024 * 1024;

/**
 * Reads the stream of a chat completion and tells each piece as it comes. `isSingle`: of several calls the first counts.
 * Throws BrokenAnswer.
 */
export async function readChat(
  body: AsyncIterable<Buffer>,
  take: (piece: TurnPiece) => Promise<void> | void,
  isSingle: boolean,
): Promise<TurnAnswer> {
  /** What the last bytes brought. */
  const pieces: TurnPiece[] = [];
  const tell = (piece: TurnPiece) => void pieces.push(piece);
  const answer: TurnAnswer = { text: '', refusal: '', calls: [], finish: '', usage: null };
  let size = 0;
  let failure: BrokenAnswer | null = null;
  let isDone = false;

  const takeChunk = (chunk: Chunk, text: string) => {
    if (chunk.error) {
      failure = new BrokenAnswer(errorIn(text).message || 'The answer of the model failed.');
      return;
    }
    const { usage } = chunk;
    if (usage)
      answer.usage = {
        promptTokens: usage.prompt_tokens ?? 0,
        completionTokens: usage.completion_tokens ?? 0,
      };
    const [choice] = chunk.choices ?? [];
    if (choice?.delta) takeDelta(choice.delta);
    if (choice?.finish_reason) answer.finish = choice.finish_reason;
  };

  const takeDelta = ({ content, refusal, tool_calls: calls }: Delta) => {
    if (content) {
      answer.text += content;
      tell({ kind: 'text', text: content });
    }
    if (refusal) {
      answer.refusal += refusal;
      tell({ kind: 'refusal', text: refusal });
    }
    for (const call of calls ?? []) takeCall(call);
  };

  const takeCall = ({ index = 0, function: of }: NonNullable<Delta['tool_calls']>[number]) => {
    if (isSingle && index > 0) return;
    let call = answer.calls[index];
    if (!call) {
      if (index !== answer.calls.length || !of?.name)
        throw new BrokenAnswer('The calls of the model are not in order.');
      call = { name: of.name, arguments: '' };
      answer.calls.push(call);
      tell({ kind: 'call', index, name: call.name });
    }
    if (of?.arguments) {
      call.arguments += of.arguments;
      tell({ kind: 'arguments', index, text: of.arguments });
    }
  };

  const reader = createEventReader(({ data }) => {
    if (data === '[DONE]') isDone = true;
    else if (data !== '') takeChunk(parsedChunk(data), data);
  });
  for await (const bytes of body) {
    size += bytes.length;
    if (size > MAX_BYTES) throw new BrokenAnswer('The answer of the model is too long.');
    reader.feed(bytes);
    for (const piece of pieces.splice(0)) {
      const taking = take(piece);
      if (taking) await taking;
    }
    if (failure) throw failure;
  }
  if (!isDone && answer.finish === '') throw new BrokenAnswer('The answer of the model broke off.');
  return answer;
}

function parsedChunk(text: string): Chunk {
  try {
    return JSON.parse(text) as Chunk;
  } catch (cause) {
    throw new BrokenAnswer('The answer of the model is no stream of chat completions.', { cause });
  }
}
