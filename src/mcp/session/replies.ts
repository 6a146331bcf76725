import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { uuid } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { createJsonSeal } from './json-seal.ts';
import type { ReplyDocument } from './model.ts';
import type { McpSession } from './session.ts';

/** Answers of callers to what they were asked, whichever process they come to. */
export type Replies = {
  /** The id of a question in a session. */
  idFor(session: McpSession): string;
  /** Waits for the answer to a question; null when it does not come in time, or nobody wants it any more. */
  wait(id: string, isWanted: () => boolean): Promise<JsonObject | null>;
  /** Takes an answer; false for one to a question that is not ours. */
  take(session: McpSession, id: string, value: JsonObject): Promise<boolean>;
};

/** Milliseconds for which an answer is waited for. */
const PATIENCE_MS = 600_000;
/** Milliseconds between two looks for an answer that has come to another process. */
const LOOK_MS = 200;

type Question = { session: string; question: string };

export function createReplies(
  replies: () => Collection<ReplyDocument>,
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
): Replies {
  const waiting = new Map<string, (value: JsonObject) => void>();
  const ids = createJsonSeal<Question>(secrets, {
    ...{ prefix: 'gwr_', owner: 'mcp question', maxLength: 1024 },
  });

  return {
    idFor: ({ uuid: session }) => ids.seal({ session, question: uuid() }),
    async wait(id, isWanted) {
      const { question } = ids.open(id) ?? { question: '' };
      const here = Promise.withResolvers<JsonObject>();
      waiting.set(question, here.resolve);
      const until = Date.now() + PATIENCE_MS;
      try {
        while (Date.now() < until && isWanted()) {
          const value = await Promise.race([here.promise, pause(LOOK_MS, null)]);
          if (value) return value;
          const elsewhere = await replies().findOneAndDelete({ _id: question });
          if (elsewhere) return JSON.parse(secrets.decrypt(elsewhere.sealed, question)) as JsonObject;
        }
        return null;
      } finally {
        waiting.delete(question);
      }
    },
    async take(session, id, value) {
      const known = ids.open(id);
      if (known === null || known.session !== session.uuid) return false;
      const here = waiting.get(known.question);
      if (here) here(value);
      else
        await replies().updateOne(
          { _id: known.question },
          {
            $setOnInsert: {
              organisationId: session.organisationId,
              sealed: secrets.encrypt(JSON.stringify(value), known.question),
              expiresAt: new Date(Date.now() + PATIENCE_MS),
            },
          },
          { upsert: true },
        );
      return true;
    },
  };
}
