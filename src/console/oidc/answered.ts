import { type Connection, Schema } from 'mongoose';
import { GatewayError } from '../../errors/index.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { defineModel } from '../../storage/model.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { FLOW_SECONDS } from './flow-cookie.ts';

/** That the provider's answer to one state has come. */
type Answered = { _id: string; at: Date };

const schema = new Schema<Answered>(
  { _id: String, at: Date },
  { collection: 'oidc_answers', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: FLOW_SECONDS });

export const oidcAnswerModel = defineModel('OidcAnswer', schema);

/** Throws UNAUTHENTICATED for a state whose answer has come before, in whatever process. */
export async function requireFirstAnswer(db: Connection, secrets: Secrets, state: string): Promise<void> {
  try {
    await oidcAnswerModel(db).create({ _id: secrets.hash(state), at: new Date() });
  } catch (cause) {
    if (!isDuplicateBatch(cause)) throw cause;
    throw new GatewayError('UNAUTHENTICATED', {
      message: 'This answer of the identity provider was used before. Sign in again.',
      cause,
    });
  }
}
