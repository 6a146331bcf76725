import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chatAnswer, json } from '../support/provider.ts';
import { bodiesOf, recordsOf } from '../support/records.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ HEADER_PREFIX_ALIASES: 'x-other-gw-,x-acme_ai-' });
});
afterAll(() => world.stop());

const gatewayHeaders = fc.record(
  {
    config: fc.constantFrom(
      '{"retry": {"attempts": 1}}',
      '{"override_params": {"model": "another"}, "api_key": "sk-inline-credential-0123456789"}',
      '{"forward_headers": ["x-mine", "x-gateway-foo"]}',
      '{"strategy": {"mode": "fallback"}, "targets": [{"provider": "@nobody"}, {"provider": "@mock"}]}',
      'no-such-config',
      '{broken',
    ),
    metadata: fc.constantFrom('{"a": "b", "_user": "me"}', 'none', '{"a": 1}'),
    debug: fc.constantFrom('false', 'true'),
    'forward-headers': fc.constantFrom(
      'x-mine',
      '["X-Mine", "x-§private"]',
      'x-§forward-headers',
      'accept, x-mine',
    ),
    'sensitive-headers': fc.constantFrom('x-mine', 'x-§private,x-mine', 'x-§PRIVATE'),
    'request-timeout': fc.constantFrom('5000', 'soon'),
    'custom-host': fc.constantFrom('http://169.254.169.254/v1', 'not a url'),
    private: fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
      .map((text) => `v${text.trim()}v`),
    'span-name': fc.constant('work'),
  },
  { requiredKeys: [] },
);

describe('a request under an alias and the same one under canonical names', () => {
  const volatile =
    /^(_id|createdAt|expiresAt|bodiesId|batchId|upstreamResponseTime|responseTime|gatewayProcessingTime|timeToFirstToken)$|-request-id$|^(date|content-length|connection|keep-alive)$/;
  const stable = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? null, (name, member) => (volatile.test(name) ? undefined : member)));

  /** Everything that can be seen of a call: its answer, what the provider got, and what was recorded. */
  async function outcome(path: string, prefix: string, given: Record<string, string>) {
    world.provider.play(json(200, chatAnswer('hello')));
    const base = {
      'api-key': world.app.workspaceKey,
      provider: `@${world.slug}`,
      'trace-id': 'trace-1',
      'span-id': 'span-1',
      'parent-span-id': 'span-0',
    };
    const headers = Object.entries({ ...base, ...given }).map(([name, value]) => [
      prefix + name,
      value.replaceAll('x-§', prefix),
    ]);
    await world.app.logged();
    await world.app.db.collection('logs').deleteMany({});
    const answer = await world.call({
      key: null,
      path,
      headers: { ...Object.fromEntries(headers), 'x-mine': 'mine' },
    });
    const records = await recordsOf(world.app, {});
    const bodies = await Promise.all(records.map((record) => bodiesOf(world.app, record)));
    return stable({
      status: answer.status,
      headers: answer.headers,
      body: answer.text,
      provider: world.provider.requests.map(({ body, ...request }) => ({ ...request, body: String(body) })),
      records,
      bodies,
    });
  }

  it('come to the same in the answer, at the provider and in the log', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/v1/chat/completions', '/v1/any/thing', '/v1/proxy/embeddings'),
        fc.constantFrom('x-other-gw-', 'X-Other-Gw-', 'x-acme_ai-'),
        gatewayHeaders,
        async (path, prefix, given) => {
          const aliased = await outcome(path, prefix, given);
          expect(aliased).toEqual(await outcome(path, 'x-gateway-', given));
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
