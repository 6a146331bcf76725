import { isObject, type JsonObject } from '../../lib/json.ts';

/** Bytes of a document of OAuth. */
const MAX_DOCUMENT = 64 * 1024;

/** The JSON object of an answer; null for anything else, and for one that is too large. */
export async function documentOf(answer: Response): Promise<JsonObject | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop ends the answer.
    if (size > MAX_DOCUMENT) return null;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
