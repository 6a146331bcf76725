import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

export type SavedViewDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string | null;
  page: string;
  name: string;
  query: string;
  shared: boolean;
  createdBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<SavedViewDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    page: { type: String, required: true },
    name: { type: String, required: true },
    // A page may show everything, which some say by nothing.
    query: { type: String, default: '' },
    shared: { type: Boolean, default: false },
    createdBy: { type: String, required: true },
  },
  resourceSchema('saved_views'),
);
indexSorts(schema);
schema.index({ organisationId: 1, createdBy: 1 });

export const savedViewModel = defineModel('SavedView', schema);
