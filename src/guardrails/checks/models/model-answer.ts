import { isObject, type JsonObject } from '../../../lib/json.ts';
import { requireSuccess } from '../remote/common.ts';

/** The body of a model's answer. Throws an Error for whoever reads results where there is none. */
export function modelAnswer(who: string, { status, body }: { status: number; body: unknown }): JsonObject {
  requireSuccess(who, status);
  if (!isObject(body)) throw new Error(`${who} answered no JSON object.`);
  return body;
}
