import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { GatewayError } from '../../src/errors/index.ts';
import { causeOf, toGraphError } from '../../src/graph/index.ts';
import { run, smallContext, smallGraph, somebody } from './small-graph.ts';

const sdl = `
  type Config { id: ID! object: String! @constant(value: "config") hidden: String @access(anyOf: ["logs.view"]) }
  input Limits { max: Int @constraint(min: 1, max: 5) nested: [Limits!] @constraint(maxItems: 2) }
  input ConfigInput {
    name: String! @constraint(minLength: 2, maxLength: 4)
    slug: String @constraint(pattern: "^[a-z]+$")
    email: String @constraint(format: EMAIL)
    uri: String @constraint(format: URI)
    uuid: ID @constraint(format: UUID)
    at: String @constraint(format: DATE_TIME)
    tags: [String!] @constraint(minItems: 1, maxLength: 3)
    limits: Limits
    credential: String @secret
    any: JSON
  }
  type Query {
    config(id: ID! @constraint(maxLength: 3)): Config @access(anyOf: ["configs.read"])
    me: String @authenticated
    open: String
    time(at: DateTime!): DateTime!
    echo(any: JSON): JSON
    broken: String
    wrong: Int!
  }
  type Mutation {
    createConfig(input: ConfigInput!, token: String @secret): Config
      @audit(action: "config.create") @access(anyOf: ["configs.create"])
    deleteConfig(id: ID!): ID! @audit(action: "config.delete") @access(anyOf: ["configs.delete"])
  }`;

const seen: unknown[] = [];
const graph = smallGraph({
  sdl,
  resolvers: {
    Query: {
      config: (_parent, { id }) => ({ id, hidden: 'h' }),
      me: (_parent, _args, context) => context.principal?.name,
      open: () => 'open',
      time: (_parent, { at }) => at,
      echo: (_parent, { any }) => any,
      broken: () => {
        throw new Error('mongodb://user:secret@db');
      },
      wrong: () => 'text',
    },
    Mutation: {
      createConfig: (_parent, { input }) => {
        seen.push(input);
        if (input.name === 'dup') throw new GatewayError('ALREADY_EXISTS', { param: 'name' });
        return { id: 'c-1', _id: 'c-1', workspaceId: 'w-1' };
      },
      deleteConfig: (_parent, { id }) => id,
    },
  },
});

const codes = async (query: string, context = smallContext(), variables = {}) => {
  const { errors = [] } = await run(graph, query, context, variables);
  return errors.map((error) => {
    const { code, param } = causeOf(error);
    return { code, param };
  });
};

describe('@access and @authenticated', () => {
  it('let the credential with the scope in, and nobody else', async () => {
    expect(await codes('{ config(id: "1") { id } }')).toEqual([]);
    expect(await codes('{ config(id: "1") { id } me }', smallContext(null))).toEqual([
      { code: 'UNAUTHENTICATED', param: null },
      { code: 'UNAUTHENTICATED', param: null },
    ]);
    const weak = smallContext(somebody({ scopes: new Set(['logs.list']) }));
    expect(await codes('{ config(id: "1") { id } me open }', weak)).toEqual([
      { code: 'FORBIDDEN', param: null },
    ]);
  });

  it('guard fields below the root, too', async () => {
    const result = await run(graph, '{ config(id: "1") { id hidden } }');
    expect(result.data).toEqual({ config: { id: '1', hidden: null } });
    expect(result.errors?.map(causeOf)).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  it('are checked before the constraints', async () => {
    expect(await codes('{ config(id: "12345") { id } }', smallContext(null))).toMatchObject([
      { code: 'UNAUTHENTICATED' },
    ]);
  });
});

describe('@constraint', () => {
  const create = (input: object) =>
    codes('mutation ($input: ConfigInput!) { createConfig(input: $input) { id } }', smallContext(), {
      input: { name: 'abc', ...input },
    });

  it.each([
    [{ name: 'a' }, 'input.name'],
    [{ name: 'abcde' }, 'input.name'],
    [{ slug: 'A' }, 'input.slug'],
    [{ email: 'nobody' }, 'input.email'],
    [{ email: 'a\0@b.c' }, 'input.email'],
    [{ email: 'a@b\u202e.c' }, 'input.email'],
    [{ email: '\ud800@b.c' }, 'input.email'],
    [{ uri: 'nowhere' }, 'input.uri'],
    [{ uuid: '1' }, 'input.uuid'],
    [{ at: 'yesterday' }, 'input.at'],
    [{ tags: [] }, 'input.tags'],
    [{ tags: ['ok', 'long'] }, 'input.tags[1]'],
    [{ limits: { max: 6 } }, 'input.limits.max'],
    [{ limits: { nested: [{ max: 1 }, { nested: [{ max: 0 }] }] } }, 'input.limits.nested[1].nested[0].max'],
    [{ limits: { nested: [{}, {}, {}] } }, 'input.limits.nested'],
  ])('refuses %j', async (input, param) => {
    expect(await create(input)).toEqual([{ code: 'VALIDATION_FAILED', param }]);
  });

  it('accepts what is within the bounds, absent or null', async () => {
    const uuid = '018f2b6a-7d3e-7cc0-98c4-dc0c0c07398f';
    const fine = {
      slug: 'a',
      email: 'a@bücher.c',
      uri: 'https://a/',
      uuid,
      at: '2026-01-01T00:00:00Z',
      tags: ['a'],
    };
    expect(await create({ ...fine, limits: { max: 5, nested: [] } })).toEqual([]);
    expect(await create({ slug: null, email: null, tags: null, limits: null })).toEqual([]);
    expect(await create({ name: '👩‍🚀' })).toEqual([]);
  });

  it('holds for arguments and for literals', async () => {
    expect(await codes('{ config(id: "1234") { id } }')).toEqual([
      { code: 'VALIDATION_FAILED', param: 'id' },
    ]);
  });

  it('lists every mistake when there are several', async () => {
    const result = await run(graph, 'mutation { createConfig(input: { name: "", slug: "1" }) { id } }');
    expect(causeOf(result.errors?.[0]).errors).toEqual([
      'input.name must have at least 2 characters.',
      'input.slug must match ^[a-z]+$',
    ]);
  });
});

describe('@audit', () => {
  const create = async (context: ReturnType<typeof smallContext>, name = 'abc') => {
    const input = { name, credential: 'hunter2', any: { api_key: 'hunter3', fine: 1 } };
    await run(
      graph,
      'mutation ($input: ConfigInput!) { createConfig(input: $input, token: "hunter4") { id } }',
      context,
      { input },
    );
    return context.recorded.audit;
  };

  it('records who did what to which resource, without secrets', async () => {
    const [entry, ...more] = await create(smallContext());
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      organisationId: 'org-1',
      workspaceId: 'w-1',
      userId: 'key-1',
      userType: 'api_key',
      resourceType: 'config',
      action: 'create',
      targetId: 'c-1',
      outcome: 'success',
      responseStatusCode: 200,
      requestId: 'request-1',
      timestamp: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(JSON.stringify(entry)).not.toMatch(/hunter|sk-0123/);
    expect(JSON.parse(entry?.requestBody ?? '')).toMatchObject({ input: { name: 'abc', any: { fine: 1 } } });
  });

  it.each([
    ['a failure', 'dup', somebody(), { outcome: 'failed', responseStatusCode: 409 }],
    ['a broken constraint', 'x', somebody(), { outcome: 'failed', responseStatusCode: 400 }],
    ['a refusal', 'abc', somebody({ scopes: new Set() }), { outcome: 'refused', responseStatusCode: 403 }],
  ])('records %s', async (_what, name, principal, expected) => {
    expect(await create(smallContext(principal), name)).toMatchObject([{ targetId: null, ...expected }]);
  });

  it('records nothing without a credential', async () => {
    expect(await create(smallContext(null))).toEqual([]);
  });

  it('takes the id from the answer or else from the argument', async () => {
    const context = smallContext(somebody({ scopes: new Set(['configs.delete']), userId: 'u-1' }));
    await run(graph, 'mutation { deleteConfig(id: "c-9") }', context);
    expect(context.recorded.audit).toMatchObject([{ targetId: 'c-9', userId: 'u-1', userType: 'user' }]);
    const refused = smallContext();
    await run(graph, 'mutation { deleteConfig(id: "c-9") }', refused);
    expect(refused.recorded.audit).toMatchObject([{ targetId: 'c-9', outcome: 'refused' }]);
  });

  it.each([
    ['organisation-service', null, 'api_key', 'key-1'],
    ['workspace-user', 'u-1', 'user', 'u-1'],
    ['service-account', null, 'service_account', 'key-1'],
    ['jwt', null, 'jwt', 'key-1'],
  ] as const)('tells what a credential of the kind %s is', async (kind, userId, userType, id) => {
    expect(await create(smallContext(somebody({ kind, userId })))).toMatchObject([
      { userType, userId: id, userName: 'Test key' },
    ]);
  });

  it('keeps secrets out that stand where something else belongs', async () => {
    const secret = `sl-${'x'.repeat(43)}`;
    const context = smallContext();
    Object.assign(context.request, { path: `/v1/${secret}`, query: `key=hunter5&q=${secret}` });
    context.request.headers['user-agent'] = secret;
    await run(graph, `mutation { deleteConfig(id: "${secret}") }`, context);
    expect(context.recorded.audit).toMatchObject([{ targetId: '[redacted]', uri: '/v1/[redacted]' }]);
    expect(JSON.stringify(context.recorded.audit)).not.toMatch(/hunter5|xxxx/);
  });

  it('lets a call pass when its target cannot be read', async () => {
    const context = smallContext(somebody({ scopes: new Set(['configs.delete']) }));
    const broken = () => {
      throw new Error('away');
    };
    context.audited = new Map([
      ['config', { model: () => ({ schema: { path: () => null }, find: broken }) as never }],
    ]);
    const result = await run(graph, 'mutation { deleteConfig(id: "c-9") }', context);
    expect(result.errors).toBeUndefined();
    expect(context.recorded.audit).toMatchObject([
      { outcome: 'success', beforeDigest: null, afterDigest: null },
    ]);
    expect(context.recorded.logged).toMatchObject([{ members: { resourceType: 'config' } }, {}]);
  });

  it('answers as usual when the trail is broken, and logs the entry', async () => {
    const context = smallContext();
    context.audit = { ...context.audit, record: () => Promise.reject(new Error('disk full')) };
    const result = await run(graph, 'mutation { createConfig(input: { name: "abc" }) { id } }', context);
    expect(result.data).toEqual({ createConfig: { id: 'c-1' } });
    expect(context.recorded.logged).toMatchObject([{ members: { entry: { targetId: 'c-1' } } }]);
  });
});

describe('values', () => {
  it('fills constants', async () => {
    expect(await run(graph, '{ config(id: "1") { object } }')).toEqual({
      data: { config: { object: 'config' } },
    });
  });

  it('reads and writes times as RFC 3339 with milliseconds', async () => {
    const query = '{ time(at: "2026-03-01T12:00:00+02:00") }';
    expect(await run(graph, query)).toEqual({ data: { time: '2026-03-01T10:00:00.000Z' } });
    for (const at of ['2026-13-01T00:00:00Z', 'soon', 1, true]) {
      const refused = await run(graph, 'query ($at: DateTime!) { time(at: $at) }', smallContext(), { at });
      expect(refused.errors?.[0]?.message).toMatch(/RFC 3339/);
    }
  });

  it('passes JSON untouched', async () => {
    const any = { some_key: [1, null, { anotherKey: 'x' }] };
    expect(await run(graph, 'query ($any: JSON) { echo(any: $any) }', smallContext(), { any })).toEqual({
      data: { echo: any },
    });
    expect(await run(graph, '{ echo(any: { a_b: [1, "x"] }) }')).toEqual({
      data: { echo: { a_b: [1, 'x'] } },
    });
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('takes JSON of 64 levels of %s, and no more, however deep', async (_what, open, close) => {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    const echo = (levels: number) =>
      run(graph, 'query ($any: JSON) { echo(any: $any) }', smallContext(), {
        any: JSON.parse(nested(levels)),
      });
    expect((await echo(64)).errors).toBeUndefined();
    for (const levels of [65, 1_000, 100_000])
      expect((await echo(levels)).errors?.[0]?.message).toMatch(/JSON is nested at most 64 levels/);
    const literal = (levels: number) => run(graph, `{ echo(any: ${nested(levels).replaceAll('"', '')}) }`);
    expect((await literal(64)).errors).toBeUndefined();
    expect((await literal(65)).errors).toHaveLength(1);
  });

  it('tells a database that does not answer from a defect', () => {
    const cause = new mongo.MongoNetworkError('connect ECONNREFUSED 10.0.0.1');
    expect(toGraphError(cause)).toMatchObject({ code: 'STORE_UNAVAILABLE', entry: { status: 503 }, cause });
    expect(toGraphError(new mongo.MongoNetworkTimeoutError('x')).code).toBe('STORE_UNAVAILABLE');
    const codeOf = (code: number) => toGraphError(new mongo.MongoServerError({ message: 'x', code })).code;
    // No primary, stopping, killed, a cursor that is gone.
    for (const code of [10107, 11600, 11601, 43]) expect(codeOf(code)).toBe('STORE_UNAVAILABLE');
    // A statement that is wrong, or that cannot be done.
    for (const code of [2, 292]) expect(codeOf(code)).toBe('INTERNAL');
  });

  it('keeps defects private', async () => {
    const { errors = [] } = await run(graph, '{ broken wrong }');
    expect(errors.map(causeOf).map(({ code, message }) => [code, message])).toEqual([
      ['INTERNAL', 'Something went wrong inside the gateway.'],
      ['INTERNAL', 'Something went wrong inside the gateway.'],
    ]);
  });
});

describe('descriptions', () => {
  it('tell the rules to whoever explores the schema', () => {
    const { config } = graph.schema.getQueryType()?.getFields() ?? {};
    expect(config?.description).toBe('Needs the scope `configs.read`.');
    expect(config?.args[0]?.description).toBe('Bounds: maxLength `3`.');
    const { createConfig } = graph.schema.getMutationType()?.getFields() ?? {};
    expect(createConfig?.description).toContain('Recorded in the audit trail as `config.create`.');
    expect(createConfig?.args[1]?.description).toBe('Secret: no log ever shows it.');
  });
});
