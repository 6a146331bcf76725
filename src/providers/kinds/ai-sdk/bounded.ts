import { UnreadableAnswer } from './answer/errors.ts';

/** Of a whole answer, which is held in memory: some thousand long embeddings. */
const MAX_WHOLE = 128 * 1024 * 1024;
/** Of one event in a text stream, e.g. with an image in base64. */
const MAX_EVENT = 32 * 1024 * 1024;
/** Of one frame in Amazon's binary stream: a few words. Putting a frame together costs its length for every piece of it. */
const MAX_FRAME = 256 * 1024;

const NEWLINE = 10;

/** The same answer, which breaks off where it is larger than anybody can mean it to be. */
export function bounded(answer: Response): Response {
  if (!answer.body) return answer;
  const isTooLarge = meterOf(answer.headers.get('content-type') ?? '');
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (isTooLarge(chunk)) controller.error(new UnreadableAnswer('the answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(guard), {
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
  });
}

type Meter = (chunk: Uint8Array) => boolean;

function meterOf(type: string): Meter {
  if (type.startsWith('text/event-stream')) return linesMeter();
  if (type.startsWith('application/vnd.amazon.eventstream')) return framesMeter();
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size > MAX_WHOLE;
  };
}

function linesMeter(): Meter {
  let size = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(NEWLINE);
    size = end < 0 ? size + chunk.length : chunk.length - end - 1;
    return size > MAX_EVENT;
  };
}

/** Each frame begins with its length in four bytes. */
function framesMeter(): Meter {
  let length = 0;
  let seen = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (seen < 4) {
        length = length * 256 + (chunk[at] ?? 0);
        seen++;
        at++;
        if (seen === 4 && (length > MAX_FRAME || length < 4)) return true;
      } else {
        const step = Math.min(length - seen, chunk.length - at);
        seen += step;
        at += step;
      }
      if (seen >= 4 && seen === length) {
        length = 0;
        seen = 0;
      }
    }
    return false;
  };
}
