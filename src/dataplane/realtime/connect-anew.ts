import type { DataplaneDependencies } from '../dependencies.ts';
import type { UpstreamRequest } from '../send/upstream.ts';
import { renewed, withSecrets } from '../target/mapped-credential.ts';
import type { Admission } from './admit.ts';
import { type ConnectOptions, connect, openingOf, Refused } from './connect.ts';
import type { Side } from './unfinished.ts';

/** A session that is being opened, and the request that opens it at the provider; both change with a newer credential. */
export type OpeningSession = Admission & { opening: UpstreamRequest };

/**
 * Opens a session as `connect` does. Where the provider refuses a credential that came from a secret manager, asks for a
 * newer one and opens it once more, as a call does.
 */
export async function connectAnew(
  session: OpeningSession,
  options: ConnectOptions,
  dependencies: Pick<DataplaneDependencies, 'http' | 'headers' | 'secretMemory'>,
): Promise<Side> {
  const { secretMemory } = dependencies;
  try {
    return await connect(session.opening, options);
  } catch (thrown) {
    if (!isRefusal(thrown) || !(await renewed(session.target, secretMemory))) throw thrown;
  }
  session.target = await withSecrets(session.target, secretMemory);
  session.opening = await openingOf(session, dependencies);
  return connect(session.opening, options);
}

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof Refused && (thrown.status === 401 || thrown.status === 403);
