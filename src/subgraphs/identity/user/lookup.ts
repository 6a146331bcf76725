import type { Connection } from 'mongoose';
import { userModel } from './model.ts';

/** Who has this address, in any case, in the organisation. */
export async function userIdWithEmail(
  db: Connection,
  organisationId: string,
  email: string,
): Promise<string | null> {
  const found = await userModel(db)
    .findOne({ organisationId, email: email.toLowerCase() }, { _id: 1 })
    .lean<{ _id: string }>();
  return found?._id ?? null;
}

/** Those of the ids that are users of the organisation. */
export async function userIdsAmong(
  db: Connection,
  organisationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = await userModel(db)
    .find({ organisationId, _id: { $in: ids } }, { _id: 1 })
    .lean<{ _id: string }[]>();
  return new Set(found.map(({ _id }) => _id));
}
