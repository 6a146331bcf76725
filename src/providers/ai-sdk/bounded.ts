/** Of a whole answer, which is held in memory: some thousand long embeddings. */
const MAX_WHOLE = 128 * 1024 * 1024;
/** Of one event in a stream of them, e.g. an image in base64. */
const MAX_EVENT = 32 * 1024 * 1024;
const NEWLINE = 10;

/** The same answer, which breaks off where it is larger than anybody can mean it to be. */
export function bounded(answer: Response): Response {
  if (!answer.body) return answer;
  const isText = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let size = 0;
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isText ? chunk.lastIndexOf(NEWLINE) : -1;
      size = end < 0 ? size + chunk.length : chunk.length - end - 1;
      if (size > (isText ? MAX_EVENT : MAX_WHOLE)) controller.error(new Error('The answer is too large.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(guard), {
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
  });
}
