import type { SecretMemory } from '../secret-managers/memory.ts';
import { askerOf, type ClientTokens, sharedHeaders, withMappedSecrets } from './auth/index.ts';
import { mockTransport } from './mock/index.ts';
import type { UpstreamTarget } from './target.ts';
import {
  connectUpstream,
  createHttpTransport,
  createSseTransport,
  type Era,
  MOCK_URL,
  type UpstreamConnection,
  UpstreamProblem,
} from './upstream/index.ts';

export type ReachDependencies = {
  /** Connections that judge each address. */
  send: typeof fetch;
  secretMemory: Pick<SecretMemory, 'get'>;
  tokens: ClientTokens;
  /** A token of some user of an integration at whose server each user signs in; null while there is none. */
  userToken(integrationId: string): Promise<string | null>;
};

/** Connects to a server with the credential of its integration. Rejects with an UpstreamProblem. */
export async function reachUpstream(
  target: UpstreamTarget,
  dependencies: ReachDependencies,
  given: { signal: AbortSignal; era: Era | null },
): Promise<UpstreamConnection> {
  if (target.url === MOCK_URL) return connectUpstream({ transport: mockTransport, headers: {} }, given.era);
  const { send, secretMemory } = dependencies;
  const configurations = await withMappedSecrets(target.configurations, target.mappedSecrets, secretMemory);
  const whole = { ...target, configurations };
  const place = { url: target.url, send, signal: given.signal };
  const isSse = target.transport === 'sse';
  const attempt = async () => {
    const headers = await headersOf(whole, dependencies, given.signal);
    const transport = isSse ? createSseTransport(place) : createHttpTransport(place);
    try {
      return await connectUpstream({ transport, headers }, isSse ? 'legacy' : given.era);
    } catch (error) {
      await transport.close({});
      throw await explained(error, whole, { ...place, headers });
    }
  };
  try {
    return await attempt();
  } catch (error) {
    const isRefused = error instanceof UpstreamProblem && error.fault === 'unauthorized';
    if (!isRefused || target.authType !== 'oauth_client_credentials') throw error;
    // The token may have been taken back before its time.
    dependencies.tokens.forget(askerOf(whole));
    return attempt();
  }
}

async function headersOf(
  target: UpstreamTarget,
  { tokens, userToken }: ReachDependencies,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const shared = await sharedHeaders(target, tokens, { signal });
  if (target.authType !== 'oauth_auto') return shared;
  const token = await userToken(target.id);
  if (token === null) throw new UpstreamProblem('unauthorized', 'sign-in required', { status: 401 });
  return { authorization: `Bearer ${token}`, ...shared };
}

const REFUSES_POSTS: ReadonlySet<number> = new Set([400, 404, 405]);

type Place = { url: string; send: typeof fetch; signal: AbortSignal; headers: Record<string, string> };

/** A server that takes no posts may be one of 2024-11-05, which is reached by the other transport. */
async function explained(error: unknown, { transport }: UpstreamTarget, place: Place): Promise<unknown> {
  const mayBeOld =
    error instanceof UpstreamProblem && error.fault === 'http' && REFUSES_POSTS.has(error.status ?? 0);
  if (!mayBeOld || transport === 'sse') return error;
  const old = createSseTransport(place);
  try {
    await connectUpstream({ transport: old, headers: place.headers }, 'legacy');
    return new UpstreamProblem('not_mcp', 'not an MCP server of streamable HTTP: transport must be sse', {
      status: error.status ?? 0,
    });
  } catch {
    // That it is no server of the old way either says nothing new.
    return error;
  } finally {
    await old.close({});
  }
}
