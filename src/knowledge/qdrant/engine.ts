import { request } from 'undici';
import { z } from 'zod';

/** Where a Qdrant is, and what its collections begin with. */
export type QdrantPlace = { url: string; apiKey: string | null; prefix: string };

/** The engine refused something, or did not answer: `status` is null then. */
export class EngineError extends Error {
  readonly status: number | null;
  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** Characters of an answer, and of what is told of one. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
const LONGEST_REASON = 300;
const answered = z.object({ result: z.unknown() });

export type AskEngine = <T>(
  method: 'GET' | 'PUT' | 'POST',
  path: string,
  given: { body?: object; shape: z.ZodType<T>; timeMs: number },
) => Promise<T>;

/** Asks the REST API of Qdrant; answers what it has as `result`. The engine is the operator's, so any address may be its. */
export const createEngine =
  ({ url, apiKey }: QdrantPlace): AskEngine =>
  async (method, path, { body, shape, timeMs }) => {
    const { status, text } = await sent(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(apiKey !== null && { 'api-key': apiKey }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeMs),
    });
    if (status !== 200)
      throw new EngineError(`The vector engine answered ${status}: ${text.slice(0, LONGEST_REASON)}`, status);
    try {
      return shape.parse(answered.parse(JSON.parse(text)).result);
    } catch (error) {
      throw new EngineError('The vector engine answered something else than Qdrant does.', status, error);
    }
  };

async function sent(
  url: string,
  options: NonNullable<Parameters<typeof request>[1]>,
): Promise<{ status: number; text: string }> {
  try {
    const { statusCode, body } = await request(url, options);
    let text = '';
    for await (const chunk of body.setEncoding('utf8')) {
      text += chunk;
      if (text.length > LONGEST_ANSWER) throw new Error('The answer is too long.');
    }
    return { status: statusCode, text };
  } catch (error) {
    throw new EngineError('The vector engine does not answer.', null, error);
  }
}
