import type { Connection } from 'mongoose';
import { organisationModel } from './model.ts';

/** Which of these organisations take only what is saved (spec/data-plane.md, section 2.9). */
export async function savedConfigsOnlyIn(
  db: Connection,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const strict: string[] = await organisationModel(db).distinct('_id', {
    _id: { $in: [...new Set(ids)] },
    'settings.savedConfigsOnly': true,
  });
  return new Set(strict);
}
