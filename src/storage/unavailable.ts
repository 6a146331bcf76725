import { Error as MongooseError, mongo } from 'mongoose';

const unreachable = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoTopologyClosedError,
  MongooseError.MongooseServerSelectionError,
];

/**
 * Codes by which a member of a replica set says that it stops, recovers or is no longer the primary. Another try may
 * find the new primary.
 */
const steppedDown = new Set<unknown>([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** Whether an error says that the database does not answer now; whether a write was done that ended so is unknown. */
export const isUnavailable = (error: unknown): boolean =>
  unreachable.some((kind) => error instanceof kind) ||
  (error instanceof mongo.MongoServerError && steppedDown.has(error.code));
