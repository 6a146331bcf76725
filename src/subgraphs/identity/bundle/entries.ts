import type { AnyBulkWriteOperation } from 'mongoose';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { BundleKind } from '../../types.generated.ts';
import type { Parsed } from './documents.ts';
import { pathText } from './kind.ts';
import { type BundleEntry, bundleEntryModel } from './model.ts';
import type { Planned } from './plan.ts';
import { digestOf, isSource, sourceText, valueAt } from './secrets.ts';
import type { Stored } from './stored.ts';

const resourceOf = ({ principal }: GraphContext, kind: BundleKind, resourceId: string) => ({
  organisationId: principal?.organisationId ?? '',
  kind,
  resourceId,
});

/** A change of what is kept beside resources. */
export type EntryWrite = AnyBulkWriteOperation<BundleEntry>;

/** Makes the changes of several resources. */
export async function writeEntries({ db }: GraphContext, writes: EntryWrite[]): Promise<void> {
  if (writes.length > 0) await bundleEntryModel(db).bulkWrite(writes, { ordered: false });
}

export const forgetting = (context: GraphContext, kind: BundleKind, id: string): EntryWrite => ({
  deleteOne: { filter: resourceOf(context, kind, id) },
});

/** Keeps what the resource itself has no place for: its bundle, the slug of a nameless one, and sources of secrets. */
export function remembering(
  context: GraphContext,
  { values }: Planned,
  { kind, slug, bundle, spec }: Parsed,
  id: string,
  stored?: Stored,
): EntryWrite[] {
  const before = stored?.entry ?? null;
  const secrets = (kind.secrets?.(spec) ?? []).flatMap((path) => {
    const source = valueAt(spec, path);
    if (!isSource(source)) return [];
    const value = values.get(sourceText(source));
    const place = pathText(path);
    const known = before?.secrets.find((secret) => secret.path === place)?.digest ?? null;
    return [{ path: place, source, digest: value === undefined ? known : digestOf(context, value) }];
  });
  const label = bundle ?? before?.bundle ?? null;
  if (label === null && secrets.length === 0 && !kind.slugOf && !before) return [];
  return [
    {
      updateOne: {
        filter: resourceOf(context, kind.name, id),
        update: { $set: { slug, bundle: label, secrets }, $setOnInsert: { _id: uuid() } },
        upsert: true,
      },
    },
  ];
}
