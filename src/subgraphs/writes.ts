import { GatewayError } from '../errors/index.ts';
import type { GraphContext } from './context.ts';

type Expecting = Pick<GraphContext, 'unchangedSince'>;

/** The part of a write's filter that holds what `unchangedSince` promises. */
export const ifUnchanged = ({ unchangedSince }: Expecting): { lastUpdatedAt?: Date } =>
  unchangedSince ? { lastUpdatedAt: unchangedSince } : {};

/** Why a write found nothing: the resource is not as it was, or `otherwise` where nobody asked for that. */
export const notWritten = ({ unchangedSince }: Expecting, otherwise: GatewayError): GatewayError =>
  unchangedSince
    ? new GatewayError('PRECONDITION_FAILED', { message: 'It was changed by others meanwhile.' })
    : otherwise;

const isDuplicateKey = (error: unknown): error is { keyPattern?: Record<string, unknown> } =>
  typeof error === 'object' && error !== null && (error as { code?: unknown }).code === 11000;

/**
 * Awaits a write and turns the store's duplicate-key error into ALREADY_EXISTS, naming the last field of the index; where
 * that says nothing to a caller, `conflict` does.
 */
export async function orAlreadyExists<T>(
  write: Promise<T>,
  conflict?: { message: string; param?: string },
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if (conflict) throw new GatewayError('ALREADY_EXISTS', { ...conflict, cause: error });
    const field = Object.keys(error.keyPattern ?? {}).at(-1);
    throw new GatewayError('ALREADY_EXISTS', {
      message: field ? `A resource with this ${field} already exists.` : undefined,
      param: field,
      cause: error,
    });
  }
}
