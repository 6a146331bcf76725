import type { Collection, Filter } from 'mongodb';
import type { VectorStoreFileDocument, VectorStoreFileError } from '../documents.ts';

/** Milliseconds after which the file of a process that died is free; a living one renews its claim in time. */
export const LEASE_MS = 10_000;

/** How the work on a file ended. */
export type FileEnd =
  | { status: 'completed'; usageBytes: number; generation: number; sign?: string }
  | { status: 'failed'; lastError: VectorStoreFileError; generation: null };

type Files = () => Collection<VectorStoreFileDocument>;

/** The claim under which a process works on a file: writes that carry it match nothing once another one has it. */
const claimOf = ({ _id, owner, fence }: VectorStoreFileDocument): Filter<VectorStoreFileDocument> => ({
  _id,
  owner,
  fence,
});

/** Takes the file that has waited longest, of other workspaces than those first; null where none waits. */
export async function claim(
  files: Files,
  { me, now, notOf }: { me: string; now: Date; notOf: readonly string[] },
): Promise<VectorStoreFileDocument | null> {
  return files().findOneAndUpdate(
    { status: 'in_progress', leaseUntil: { $lte: now }, workspaceId: { $nin: [...notOf] } },
    { $set: { owner: me, leaseUntil: new Date(now.getTime() + LEASE_MS) }, $inc: { fence: 1, attempt: 1 } },
    { sort: { leaseUntil: 1 }, returnDocument: 'after' },
  );
}

/** False where the file is not this claim's any more. */
export async function renew(files: Files, file: VectorStoreFileDocument, now: Date): Promise<boolean> {
  const { matchedCount } = await files().updateOne(claimOf(file), {
    $set: { leaseUntil: new Date(now.getTime() + LEASE_MS) },
  });
  return matchedCount === 1;
}

/** Gives a file back, to be taken up again at a time. */
export async function giveBack(
  files: Files,
  file: VectorStoreFileDocument,
  { at, isTried }: { at: Date; isTried: boolean },
): Promise<void> {
  await files().updateOne(claimOf(file), {
    $set: { owner: null, leaseUntil: at },
    ...(!isTried && { $inc: { attempt: -1 } }),
  });
}

/** Ends a file; false where somebody else was first. */
export async function end(
  files: Files,
  file: VectorStoreFileDocument,
  { now, ...outcome }: FileEnd & { now: Date },
): Promise<boolean> {
  const { matchedCount } = await files().updateOne(claimOf(file), {
    $set: { ...outcome, owner: null, leaseUntil: null, lastUpdatedAt: now },
    // A form that was prepared is of the chunks before this one.
    $unset: { sealedCaller: '', prepared: '', ...(!('sign' in outcome) && { sign: '' }) },
  });
  return matchedCount === 1;
}
