import { expect } from '@jest/globals';
import { type CallOptions, startWorld, type World } from '../../../support/world.ts';
import { markers } from './disguises.ts';

/** A world where no marker may be said, by anybody, in any place. */
export type Forbidding = World & {
  /** A config that leads to the provider by its own format. */
  to(provider?: string, more?: object): object;
  /** The status of a call, and whether it reached the provider. */
  outcome(options: CallOptions): Promise<{ status: number; hasReached: boolean }>;
};

export async function startForbidding(env: Record<string, string> = {}): Promise<Forbidding> {
  const world = await startWorld({ ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'), ...env });
  const rest = async (method: string, path: string, body: object) => {
    const answer = await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body });
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return answer.body as { id: string };
  };
  const checks = [{ id: 'default.contains', parameters: { words: markers, operator: 'none' } }];
  const actions = { deny: true, scope: 'all' };
  const { id } = await rest('POST', '/org-guardrails', { name: 'Nothing forbidden', checks, actions });
  const both = { input_guardrails: [id], output_guardrails: [id] };
  await rest('PUT', '/admin/organisation/defaults', both);
  const forbidding: Forbidding = {
    ...world,
    to: (provider = 'openai', more = {}) => ({
      ...{ provider, api_key: 'k', custom_host: world.provider.url },
      ...more,
    }),
    async outcome(options) {
      world.provider.requests.length = 0;
      const { status } = await world.call(options);
      return { status, hasReached: world.provider.requests.length > 0 };
    },
  };
  // From the first call on the rule is known.
  await world.call({ config: forbidding.to(), body: { model: 'm', messages: [] } });
  return forbidding;
}

/** The marker whose turn it is, or all of them in `npm run test:long`. */
export function markersAt(turn: number, count: number): readonly string[] {
  return Array.from(
    { length: Math.min(count, markers.length) },
    (_, at) => markers[(turn + at) % markers.length] ?? '',
  );
}
