import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';
import type { GraphContext } from '../context.ts';
import type { FormerPlace } from '../cursor-page.ts';

/** Seconds for which the place of a deleted item is remembered. */
const MEMORY_S = 3600;

type FormerPlaceDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  /** The list that it was in: a thread's id, or the name of the collection. */
  list: string;
  /** When the item was made. */
  createdAt: Date;
  deletedAt: Date;
};

const schema = new Schema<FormerPlaceDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    list: { type: String, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: { type: Date, required: true },
  },
  { collection: 'former_places', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ deletedAt: 1 }, { expireAfterSeconds: MEMORY_S });

export const formerPlaceModel = defineModel('FormerPlace', schema);

type Deleted = { _id: string; organisationId: string; workspaceId: string; createdAt: Date };

/** Remembers where a deleted item stood in its list. */
export async function rememberPlace(context: GraphContext, list: string, deleted: Deleted): Promise<void> {
  const { _id, organisationId, workspaceId, createdAt } = deleted;
  const place = { organisationId, workspaceId, list, createdAt, deletedAt: context.now() };
  await formerPlaceModel(context.db).updateOne({ _id }, { $set: place }, { upsert: true });
}

/** The places of what was deleted from a list that the caller sees. */
export const formerPlaces =
  (
    context: GraphContext,
    list: string,
    tenant: { organisationId: string; workspaceId?: string },
  ): FormerPlace =>
  (id) =>
    formerPlaceModel(context.db)
      .findOne({ _id: id, list, ...tenant })
      .lean<FormerPlaceDocument>()
      .exec();
