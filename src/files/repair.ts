import type { Collection } from 'mongodb';
import type { FileDocument } from './file.ts';
import type { ContentDocument, KeptContents } from './kept-contents.ts';
import type { UploadPartDocument } from './uploads/upload.ts';

/** Milliseconds after which nobody writes a content any more: a body has an hour to arrive. */
const GIVEN_UP_MS = 3 * 3600 * 1000;
/** Contents that are read at once, and how often one look does that. */
const BATCH = 500;
const BATCHES = 20;

/** Something to be done; doing it twice does no harm. */
export type TidyTask = () => Promise<unknown>;

type Deps = {
  files(): Collection<FileDocument>;
  parts(): Collection<UploadPartDocument>;
  contents(): Collection<ContentDocument>;
  kept: KeptContents;
  now(): Date;
};

/**
 * Finds what crashed processes have left, and how it is removed: contents that were never whole, those that were being removed, and those whose
 * files are gone. Each look goes through a part of all contents, and the next one goes on from there.
 */
export function createRepair({ files, parts, contents, kept, now }: Deps) {
  let place = '';

  async function unfinished(before: Date): Promise<TidyTask[]> {
    const found = await contents()
      .find({ state: { $in: ['writing', 'removing'] }, changedAt: { $lte: before } })
      .limit(BATCH)
      .toArray();
    return found.map(
      ({ _id, state }) =>
        () =>
          kept.remove({ _id, state }),
    );
  }

  async function unheldInBatch(before: Date): Promise<TidyTask[]> {
    const found = await contents()
      .find({ _id: { $gt: place }, state: 'stored' })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    place = found.length < BATCH ? '' : (found.at(-1)?._id ?? '');
    const old = found.filter(({ changedAt }) => changedAt <= before);
    const named = old.flatMap(({ holders }) => holders);
    if (old.length === 0) return [];
    const query = { _id: { $in: named } };
    const [ofFiles, ofParts] = await Promise.all([
      files()
        .find(query, { projection: { _id: 1 } })
        .toArray(),
      parts()
        .find(query, { projection: { _id: 1 } })
        .toArray(),
    ]);
    const known = new Set([...ofFiles, ...ofParts].map(({ _id }) => _id));
    return old.flatMap(({ _id, holders }) => {
      if (holders.length === 0) return () => kept.remove({ _id, state: 'stored', holders: { $size: 0 } });
      const gone = holders.filter((holder) => !known.has(holder));
      return gone.map((holder) => () => kept.release(_id, holder));
    });
  }

  async function unheld(before: Date): Promise<TidyTask[]> {
    const tasks: TidyTask[] = [];
    for (let batch = 0; batch === 0 || (batch < BATCHES && place !== ''); batch++)
      tasks.push(...(await unheldInBatch(before)));
    return tasks;
  }

  return async (): Promise<TidyTask[]> => {
    const before = new Date(now().getTime() - GIVEN_UP_MS);
    return [...(await unfinished(before)), ...(await unheld(before))];
  };
}
