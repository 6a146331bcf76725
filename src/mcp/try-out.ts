import { discoverIssuer } from './connections/index.ts';
import { type ReachDependencies, reachUpstream } from './reach.ts';
import type { UpstreamTarget } from './target.ts';
import { problemOf, UpstreamProblem } from './upstream/index.ts';

/** What became of one try to reach a server. */
export type TryOut = {
  success: boolean;
  /** The HTTP status of the answer; null where there was none. */
  statusCode: number | null;
  /** Milliseconds of the whole try. */
  responseTimeMs: number;
  url: string;
  /** Empty where the server gave none. */
  serverName: string;
  /** What went wrong, in the gateway's words; null where nothing did. */
  error: string | null;
};

/** Milliseconds for the whole try. */
const PATIENCE_MS = 10_000;
const MAX_NAME = 255;

/** Connects to a server, asks it for its tools once, and leaves. It repeats nothing that the server said but its name. */
export async function tryUpstream(target: UpstreamTarget, dependencies: ReachDependencies): Promise<TryOut> {
  const began = performance.now();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const ended = (): number => Math.round(performance.now() - began);
  try {
    const server = await reachUpstream(target, dependencies, { signal, era: null });
    try {
      if (server.capabilities.tools !== undefined) await server.request('tools/list');
    } finally {
      await server.close();
    }
    const { name } = server.serverInfo;
    const serverName = typeof name === 'string' ? name.slice(0, MAX_NAME) : '';
    return {
      success: true,
      statusCode: 200,
      responseTimeMs: ended(),
      url: target.url,
      serverName,
      error: null,
    };
  } catch (error) {
    const { message, status, fault } = problemOf(error);
    const mayBeSound = target.authType === 'oauth_auto' && fault === 'unauthorized';
    if (mayBeSound && (await offersSignIn(target, dependencies.send)))
      return {
        ...{ success: true, statusCode: 401, responseTimeMs: ended(), url: target.url },
        ...{ serverName: '', error: 'sign-in required' },
      };
    return {
      ...{ success: false, statusCode: status, responseTimeMs: ended(), url: target.url },
      ...{ serverName: '', error: message },
    };
  }
}

/** Whether users find out at a server where to sign in. */
async function offersSignIn(target: UpstreamTarget, send: typeof fetch): Promise<boolean> {
  try {
    await discoverIssuer(target, send);
    return true;
  } catch (error) {
    if (error instanceof UpstreamProblem) return false;
    throw error;
  }
}
