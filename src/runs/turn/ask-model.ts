import { askInProcess } from '../../dataplane/in-process.ts';
import type { Dataplane } from '../../dataplane/index.ts';
import { alone } from '../../lib/bodies/alone.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { callHeaders } from '../caller.ts';
import type { RunDocument, RunError } from '../run.ts';
import { errorIn, errorOfAnswer } from './last-error.ts';

/** The model did not answer; `isTooLong`: the request had more than it can take. */
export class ModelRefused extends Error {
  readonly error: RunError;
  readonly isTooLong: boolean;
  constructor(error: RunError, isTooLong: boolean) {
    super(error.message);
    this.error = error;
    this.isTooLong = isTooLong;
  }
}

type Deps = { dataplane: Dataplane; secrets: Secrets };

/** Bytes of an error that are read. */
const MAX_ERROR = 64 * 1024;

/** Sends a turn's request as its caller would; answers the stream of the model. Throws ModelRefused. */
export async function askModel(
  { dataplane, secrets }: Deps,
  run: RunDocument,
  request: object,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  const body = alone(Buffer.from(JSON.stringify(request)));
  const call = { headers: callHeaders(secrets, run), path: '/chat/completions', body };
  const answer = await askInProcess(dataplane, call, signal);
  if (answer.status === 200) return answer.body;
  const { message, code } = errorIn(await beginningOf(answer.body));
  const isOwn = answer.status === 401 && code === 'invalid_api_key';
  const error = isOwn
    ? errorOfAnswer(
        answer.status,
        `The credential of this run is not valid any more, or its provider refuses it. ${message}`,
      )
    : errorOfAnswer(answer.status, message);
  throw new ModelRefused(error, code === 'context_length_exceeded');
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ERROR) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}
