import type { Db } from 'mongodb';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { type EncodedRows, ROLLUPS_COLLECTION, type RollupPlace } from './document.ts';

/** An hour of one workspace in one view, and the moment at which it is divided. */
export type SplitPlace = Omit<RollupPlace, 'span'> & { splitAt: Date };

/**
 * An hour in two parts, as it is kept once somebody has asked for days that begin within it. The logs are the source of both: who
 * rolls logs up does nothing for these, and what is kept counts as long as the hour itself has not changed.
 */
export type SplitDocument = SplitPlace & {
  _id: string;
  span: 'split';
  /** Of the roll-up of the whole hour. */
  version: number;
  expiresAt: Date | null;
  /** The rows before the moment and those after it. */
  parts: EncodedRows[];
};

/** Characters of an hour that is not kept: the store takes documents up to a size. */
const MOST_TEXT = 8 * 1024 * 1024;

export const splitsIn = (db: Db) => db.collection<SplitDocument>(ROLLUPS_COLLECTION);

export const splitId = ({ workspaceId, facet, start, splitAt }: SplitPlace): string =>
  `${workspaceId} split ${facet} ${start.toISOString()} ${splitAt.toISOString()}`;

/** Keeps an hour in its parts; one that is too large is left to its logs. */
export async function keepSplit(
  db: Db,
  place: SplitPlace,
  { version, expiresAt, parts }: Pick<SplitDocument, 'version' | 'expiresAt' | 'parts'>,
): Promise<void> {
  const size = parts.reduce((sum, { rows, latencies }) => sum + rows.length + (latencies?.length ?? 0), 0);
  if (size > MOST_TEXT) return;
  const { organisationId, workspaceId, facet, start, splitAt } = place;
  const _id = splitId(place);
  const kept = { organisationId, workspaceId, facet, span: 'split', start, splitAt } as const;
  try {
    await splitsIn(db).replaceOne({ _id }, { ...kept, version, expiresAt, parts }, { upsert: true });
  } catch (error) {
    // Somebody else has asked at the same time, and kept the same.
    if (!isDuplicateBatch(error)) throw error;
  }
}
