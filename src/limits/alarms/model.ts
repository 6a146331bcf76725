import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';
import type { LimitLevel, LimitUnit } from '../limit.ts';

export const limitAlarmKinds = [
  ...(['limit_threshold', 'limit_exhausted', 'limit_reset', 'limit_overshoot', 'limit_abandoned'] as const),
] as const;
export type LimitAlarmKind = (typeof limitAlarmKinds)[number];

/** Something that happened to a counter of a limit, once in its window unless it was set back in between. */
export type LimitAlarmDocument = {
  /** Names what happened: processes that see it at the same time write the same id. */
  _id: string;
  kind: LimitAlarmKind;
  organisationId: string;
  /** Null for a limit of the whole organisation. */
  workspaceId: string | null;
  limitId: string;
  counterId: string;
  level: LimitLevel;
  limitName: string;
  /** Which value of its groups; empty for a limit without groups. */
  valueKey: string;
  unit: LimitUnit;
  /** In nanodollars, tokens or requests. */
  used: number;
  amount: number;
  threshold: number | null;
  /** When its window ends, in milliseconds since the epoch; null for never. */
  until: number | null;
  alertEmails: readonly string[];
  /** False until people and programs were told. */
  isTold: boolean;
  createdAt: Date;
  /** Then the store removes it. */
  expiresAt: Date;
};

const schema = new Schema<LimitAlarmDocument>(
  {
    _id: String,
    kind: { type: String, required: true },
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    limitId: { type: String, required: true },
    counterId: { type: String, required: true },
    level: { type: String, required: true },
    limitName: { type: String, required: true },
    valueKey: { type: String, default: '' },
    unit: { type: String, required: true },
    used: { type: Number, required: true },
    amount: { type: Number, required: true },
    threshold: { type: Number, default: null },
    until: { type: Number, default: null },
    alertEmails: { type: [String], default: [] },
    isTold: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'limit_alarms', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ isTold: 1 }, { partialFilterExpression: { isTold: false } });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const limitAlarmModel = defineModel('LimitAlarm', schema);
