import { GraphQLError } from 'graphql';
import { mongo } from 'mongoose';
import { GatewayError } from '../../errors/index.ts';
import { isOutOfSpace } from '../../storage/out-of-space.ts';
import { isUnavailable } from '../../storage/unavailable.ts';

/**
 * The error that the caller sees for anything that a resolver throws. A database that does not answer is no defect of
 * this service.
 */
export function toGraphError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isUnavailable(error)) {
    return new GatewayError('STORE_UNAVAILABLE', { cause: error });
  }
  if (isOutOfSpace(error)) return new GatewayError('STORE_FULL', { cause: error });
  // The database's encoder refuses names and texts with a NUL, which only callers can have sent.
  if (error instanceof mongo.BSON.BSONError) {
    return new GatewayError('VALIDATION_FAILED', {
      message: 'A name or text of the request cannot be stored.',
      cause: error,
    });
  }
  return new GatewayError('INTERNAL', { cause: error });
}

/** The GatewayError behind an execution error. The caller's own mistakes keep their text, defects keep it private. */
export function causeOf(error: unknown): GatewayError {
  if (!(error instanceof Error) || !('originalError' in error)) return toGraphError(error);
  const original = error.originalError;
  // An argument that could not be coerced: the only errors of the executor itself that point at the document.
  if (original instanceof GraphQLError && original.nodes && !original.originalError) {
    return new GatewayError('VALIDATION_FAILED', { message: original.message, cause: original });
  }
  return original ? causeOf(original) : new GatewayError('INTERNAL', { cause: error });
}
