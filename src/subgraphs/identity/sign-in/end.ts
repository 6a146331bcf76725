import type { GraphContext } from '../../context.ts';
import { recordSignIn } from './audit.ts';
import { type SignInDocument, signInModel } from './model.ts';

type Which = Pick<SignInDocument, 'organisationId'> & Partial<Pick<SignInDocument, '_id' | 'userId'>>;

/** Ends sign-ins, in other processes within a second; answers how many there were. */
export async function endSignIns({ db, changes }: GraphContext, which: Which): Promise<number> {
  const { deletedCount } = await signInModel(db).deleteMany(which);
  if (deletedCount > 0) await changes.publish('sign_in');
  return deletedCount;
}

/** Ends the sign-in by which a request came; one that is over already stays over. */
export async function signOut(context: GraphContext, id: string, organisationId: string): Promise<void> {
  const ended = await signInModel(context.db)
    .findOneAndDelete({ _id: id, organisationId })
    .lean<SignInDocument>();
  if (!ended) return;
  await context.changes.publish('sign_in');
  await recordSignIn(context, ended, 'end');
}
