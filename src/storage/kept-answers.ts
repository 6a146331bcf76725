import { type Connection, Schema } from 'mongoose';
import { defineModel } from './model.ts';
import type { Secrets } from './secrets.ts';

type Sealed = { _id: string; organisationId: string; sealed: string; expiresAt: Date };

const schema = new Schema<Sealed>(
  { _id: String, organisationId: String, sealed: String, expiresAt: Date },
  { collection: 'kept_answers', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const keptAnswerModel = defineModel('KeptAnswer', schema);

/** The answer of a request that must not run twice. */
export type KeptAnswer = {
  /** Tells whether a later request is the same one. */
  fingerprint: string;
  /** Null when it was too large to be kept. */
  text: string | null;
};

const HOURS_24 = 24 * 60 * 60 * 1000;
const MAX_CHARACTERS = 1024 * 1024;

/** The answer kept under an id less than 24 hours ago. */
export async function findAnswer(
  { db, secrets, now }: { db: Connection; secrets: Secrets; now: () => Date },
  owner: { _id: string; organisationId: string },
): Promise<KeptAnswer | null> {
  const found = await keptAnswerModel(db)
    .findOne({ ...owner, expiresAt: { $gt: now() } })
    .lean<Sealed>();
  return found && (JSON.parse(secrets.decrypt(found.sealed, owner._id)) as KeptAnswer);
}

/** Keeps an answer for 24 hours. Sealed, since some show a secret that is stored nowhere else. */
export async function keepAnswer(
  { db, secrets, now }: { db: Connection; secrets: Secrets; now: () => Date },
  { _id, organisationId }: { _id: string; organisationId: string },
  { fingerprint, text }: KeptAnswer,
): Promise<void> {
  const kept = { fingerprint, text: text !== null && text.length <= MAX_CHARACTERS ? text : null };
  const sealed = secrets.encrypt(JSON.stringify(kept), _id);
  const expiresAt = new Date(now().getTime() + HOURS_24);
  await keptAnswerModel(db).replaceOne({ _id }, { _id, organisationId, sealed, expiresAt }, { upsert: true });
}
