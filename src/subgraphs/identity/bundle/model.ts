import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { BundleKind } from '../../types.generated.ts';

/** Where the value of a secret comes from, as a document says it. */
export type ValueSource = { env: string } | { file: string };

/** What documents say of a resource that the resource itself has no place for. */
export type BundleEntry = {
  _id: string;
  organisationId: string;
  kind: BundleKind;
  resourceId: string;
  /** What documents call the resource. */
  slug: string;
  /** The bundle that it belongs to; null for none. */
  bundle: string | null;
  /** Of each secret in its document: its place, its source, and a keyed hash of the value that was applied last. */
  secrets: { path: string; source: ValueSource; digest: string | null }[];
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<BundleEntry>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    kind: { type: String, required: true },
    resourceId: { type: String, required: true },
    slug: { type: String, required: true },
    bundle: { type: String, default: null },
    secrets: { type: [Schema.Types.Mixed as never], default: [] },
  },
  resourceSchema('bundle_entries'),
);
schema.index({ organisationId: 1, kind: 1, resourceId: 1 }, { unique: true });

export const bundleEntryModel = defineModel('BundleEntry', schema);
