import { Schema } from 'mongoose';

/** As somebody wrote it: one text, or several of which one must be there. */
export type StoredCondition = { key: string; value: string | string[]; excludes?: string | string[] };
export type StoredGroup = { key: string };

/** What all policies have. */
export type StoredPolicy = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  name: string | null;
  description: string | null;
  status: 'active' | 'archived';
  conditions: StoredCondition[];
  groupBy: StoredGroup[];
  /** Counts the edits of the amount, and of the unit of a rate, from 1. */
  version: number;
  createdAt: Date;
  lastUpdatedAt: Date;
};

/** The members of `StoredPolicy` in a schema. */
export const policyMembers = {
  _id: String,
  organisationId: { type: String, required: true },
  workspaceId: { type: String, required: true },
  name: { type: String, default: null },
  description: { type: String, default: null },
  status: { type: String, default: 'active' as const },
  conditions: { type: [Schema.Types.Mixed as never], required: true },
  groupBy: { type: [Schema.Types.Mixed as never], required: true },
  version: { type: Number, default: 1 },
};
