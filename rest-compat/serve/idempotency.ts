import { hash } from 'node:crypto';
import { GatewayError } from '../../src/errors/index.ts';
import { findAnswer, keepAnswer } from '../../src/storage/kept-answers.ts';
import type { Leases } from '../../src/storage/leases.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';

export type Once = { text: string; replayed: boolean };

const visible = /^[\x21-\x7e]{1,255}$/;

/**
 * Runs a create once for each `Idempotency-Key` of a credential; who repeats the request within 24 hours gets the first
 * answer again. Only a success is kept: after a failure the key is as good as new.
 */
export async function once(
  context: GraphContext,
  leases: Leases,
  body: unknown,
  run: () => Promise<string>,
): Promise<Once> {
  const key = context.request.headers['idempotency-key'];
  const { principal, request } = context;
  // Without a credential no answer is kept: the operation itself refuses the caller.
  if (key === undefined || !principal) return { text: await run(), replayed: false };
  if (typeof key !== 'string' || !visible.test(key)) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'idempotency-key must be 1 to 255 visible ASCII characters.',
      param: 'idempotency-key',
    });
  }
  const { organisationId, workspaceId } = principal;
  // One access token may be used in several workspaces.
  const owner = {
    _id: digest([organisationId, workspaceId, principal.kind, principal.id, key]),
    organisationId,
  };
  const fingerprint = digest([request.method, request.path, request.query, body ?? null]);

  const repeated = async (): Promise<Once | null> => {
    const kept = await findAnswer(context, owner);
    if (!kept) return null;
    if (kept.fingerprint !== fingerprint) {
      throw new GatewayError('IDEMPOTENCY_KEY_REUSED', { param: 'idempotency-key' });
    }
    if (kept.text !== null) return { text: kept.text, replayed: true };
    throw new GatewayError('ALREADY_EXISTS', {
      message: 'The first request with this Idempotency-Key succeeded; its answer was too large to be kept.',
      param: 'idempotency-key',
    });
  };

  const found = await repeated();
  if (found) return found;
  return leases.hold(context.db, `once ${owner._id}`, 0, async () => {
    // Another process may have finished between the look and the lease.
    const finished = await repeated();
    if (finished) return finished;
    const text = await run();
    // The resource exists by now: when the database fails, the answer is given without being kept.
    await keepAnswer(context, owner, { fingerprint, text }).catch((error: unknown) =>
      context.log.error({ error, requestId: request.id }, 'An idempotent answer could not be kept.'),
    );
    return { text, replayed: false };
  });
}

const digest = (parts: unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');
