import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type OrganisationDocument = {
  _id: string;
  name: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<OrganisationDocument>(
  { _id: String, name: { type: String, required: true } },
  resourceSchema('organisations'),
);

export const organisationModel = defineModel('Organisation', schema);
