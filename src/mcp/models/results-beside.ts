import { createHash } from 'node:crypto';
import type { Collection } from 'mongodb';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { callerKey, type McpCaller } from '../exchange/caller.ts';
import type { ReplyDocument } from '../session/index.ts';
import { objectsIn, type ToolOutcome } from './formats/format.ts';

/** Results of tools that a model called beside functions of the caller, for callers who do not send them back. */
export type ResultsBeside = {
  keep(caller: McpCaller, outcomes: readonly ToolOutcome[]): Promise<void>;
  /** The body of a chat completion with the results that are missing behind calls of tools. `isOwn`: the gateway makes calls of it. */
  fill(caller: McpCaller, body: JsonObject, isOwn: (functionName: string) => boolean): Promise<JsonObject>;
};

/** Milliseconds in which a caller answers its own functions. */
const LIFE_MS = 600_000;
/** Calls that are looked for in one request. */
const MAX_CALLS = 200;

export function createResultsBeside(
  replies: () => Collection<ReplyDocument>,
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
  now: () => Date,
): ResultsBeside {
  return {
    async keep(caller, outcomes) {
      const { organisationId } = caller.key.principal;
      const expiresAt = new Date(now().getTime() + LIFE_MS);
      for (const { call, text } of outcomes) {
        const _id = idOf(caller, call.id);
        const set = { organisationId, sealed: secrets.encrypt(text, _id), expiresAt };
        await replies().updateOne({ _id }, { $set: set }, { upsert: true });
      }
    },
    async fill(caller, body, isOwn) {
      const messages = objectsIn(body.messages);
      const open = openCalls(messages, isOwn).slice(-MAX_CALLS);
      if (open.length === 0) return body;
      const { organisationId } = caller.key.principal;
      const found = await replies()
        .find({ organisationId, _id: { $in: open.map((id) => idOf(caller, id)) }, expiresAt: { $gt: now() } })
        .toArray();
      const texts = new Map(found.map(({ _id, sealed }) => [_id, secrets.decrypt(sealed, _id)]));
      return { ...body, messages: messages.flatMap((message) => [message, ...resultsOf(message)]) };

      function resultsOf(message: JsonObject): JsonObject[] {
        return callsIn(message).flatMap(({ id }) => {
          const content = open.includes(String(id)) ? texts.get(idOf(caller, String(id))) : undefined;
          return content === undefined ? [] : [{ role: 'tool', tool_call_id: id, content }];
        });
      }
    },
  };
}

/** Another caller who names the same call gets nothing. */
const idOf = (caller: McpCaller, callId: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['result', caller.key.principal.organisationId, callerKey(caller), callId]))
    .digest('base64url');

const callsIn = ({ role, tool_calls: calls }: JsonObject): JsonObject[] =>
  role === 'assistant' ? objectsIn(calls) : [];

/** Ids of calls of the gateway's tools that no message answers. */
function openCalls(messages: readonly JsonObject[], isOwn: (functionName: string) => boolean): string[] {
  const answered = new Set(messages.map(({ tool_call_id: id }) => id));
  return messages
    .flatMap(callsIn)
    .filter(({ id, function: called }) => !answered.has(id) && isObject(called) && isOwn(String(called.name)))
    .map(({ id }) => String(id));
}
