import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';
import type { CounterDocument } from './document.ts';

const schema = new Schema<CounterDocument>(
  {
    _id: String,
    organisationId: String,
    workspaceId: String,
    limitId: String,
    ver: Number,
    valueKey: String,
    values: { type: Schema.Types.Mixed },
    unit: String,
    from: Number,
    until: Number,
    seconds: Number,
    cap: Number,
    room: Number,
    fill: Number,
    at: Number,
    fullAt: Number,
    gen: Number,
    uncertain: Number,
    overshoot: Number,
    unpriced: Number,
    samples: { type: Schema.Types.Mixed },
    L: { type: Schema.Types.Mixed },
    expiresAt: Date,
  },
  { collection: 'limit_counters', versionKey: false, minimize: false, autoIndex: false, autoCreate: false },
);
// The counters of a limit, the newest window first, by value.
schema.index({ limitId: 1, from: -1, valueKey: 1 });
// The windows of one value.
schema.index({ limitId: 1, valueKey: 1, from: -1 });
schema.index({ organisationId: 1, limitId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const limitCounterModel = defineModel('LimitCounter', schema);
