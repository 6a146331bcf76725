import type { Connection } from 'mongoose';
import type { SignInRecord } from '../../../directory/memory.ts';
import { type SignInDocument, signInModel } from './model.ts';

/** Sign-ins by the hashes of their secrets, as the doors of the console need them. */
export async function loadSignInRecords(
  db: Connection,
  secretHashes: string[],
): Promise<Map<string, SignInRecord>> {
  const found = await signInModel(db)
    .find({ secretHash: { $in: secretHashes } })
    .lean<SignInDocument[]>();
  return new Map(found.map((signIn) => [signIn.secretHash, toRecord(signIn)]));
}

const toRecord = ({ _id, organisationId, endsAt, expiresAt, holder }: SignInDocument): SignInRecord => ({
  id: _id,
  organisationId,
  endsAt: endsAt.getTime(),
  expiresAt: expiresAt.getTime(),
  holder,
});
