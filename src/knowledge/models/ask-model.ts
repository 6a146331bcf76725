import type { IncomingHttpHeaders } from 'node:http';
import { askInProcess } from '../../dataplane/in-process.ts';
import type { Dataplane } from '../../dataplane/index.ts';

const MAX_ANSWER = 64 * 1024 * 1024;

/** A model gave no usable answer. `isLasting`: it will not, however often it is asked. */
export class ModelGaveNone extends Error {
  readonly isLasting: boolean;
  constructor(message: string, isLasting: boolean) {
    super(message);
    this.isLasting = isLasting;
  }
}

export type ModelQuestion = {
  /** What the model is for, as its refusals name it, e.g. `embedding model`. */
  kind: string;
  /** Of the request on whose behalf it is asked: its credential pays. */
  headers: IncomingHttpHeaders;
  /** Below `/v1`, e.g. `/embeddings`. */
  path: string;
  body: object;
};

/** What a model answers to a call of the data plane, parsed; undefined where that is no JSON. Throws ModelGaveNone. */
export async function askModel(
  dataplane: Dataplane,
  { kind, headers, path, body }: ModelQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  const asked = {
    headers: { ...headers, 'accept-encoding': 'identity' },
    path,
    body: Buffer.from(JSON.stringify(body)),
  };
  const answer = await askInProcess(dataplane, asked, signal);
  const text = await textOf(kind, answer.body);
  if (answer.status !== 200)
    throw new ModelGaveNone(
      `The ${kind} answered ${answer.status}: ${text.slice(0, 500)}`,
      isLasting(answer.status),
    );
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What another try does not change. */
const isLasting = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;

async function textOf(kind: string, body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_ANSWER)
      throw new ModelGaveNone(`The ${kind} answered more than ${MAX_ANSWER} bytes.`, true);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
