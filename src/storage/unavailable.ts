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
const steppedDown = [91, 189, 10107, 11600, 11602, 13435, 13436];

/**
 * Codes of what was ended from outside: a killed operation, and a read whose cursor is gone. The embedded store says them of
 * everything that a reader was at when it ran out of memory, most of which had no part in that.
 */
const ended = [43, 11601];

const tryAgain = new Set<unknown>([...steppedDown, ...ended]);

/** Whether an error says that the database does not answer now; whether a write was done that ended so is unknown. */
export const isUnavailable = (error: unknown): boolean =>
  unreachable.some((kind) => error instanceof kind) ||
  (error instanceof mongo.MongoServerError && tryAgain.has(error.code));
