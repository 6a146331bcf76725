import { Schema } from 'mongoose';

/** The members of `StoredLimits` in the schema of whatever has limits. */
export const limitMembers = {
  usageLimits: { type: [Schema.Types.Mixed as never], default: undefined },
  rateLimits: { type: [Schema.Types.Mixed as never], default: undefined },
};
