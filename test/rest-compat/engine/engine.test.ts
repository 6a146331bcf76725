import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { itemRest, refusal } from './item-rest.ts';

const get = { method: 'GET', headers: {} };

let api: Awaited<ReturnType<typeof itemRest>>;
beforeAll(async () => {
  api = await itemRest();
});
afterAll(() => api.close());

describe('answers', () => {
  it('show snake_case members, aliases verbatim, JSON untouched and times in RFC 3339', async () => {
    const answer = await api.call('GET', '/v1/items/7');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      id: '7',
      created_at: '2026-01-02T03:04:05.000Z',
      is_default: 1,
      settings: { camelCase: { snake_case: 1 } },
      responseTime: 1.5,
      nested: { first_name: 'Ada' },
    });
  });

  it('are wrapped as the document says, with its status', async () => {
    expect((await api.call('GET', '/v1/page')).body).toMatchObject({ success: true, data: { total: 1 } });
    expect(await api.call('DELETE', '/v1/items/7')).toMatchObject({ status: 200, text: '{}' });
    expect(await api.send('POST', '/v1/items', { first_name: 'Ada' })).toMatchObject({ status: 201 });
  });

  it("repeat the caller's request id when it is sane", async () => {
    const id = async (value: string) =>
      (await api.call('GET', '/v1/items/7', { headers: { 'x-request-id': value } })).headers.get(
        'x-request-id',
      );
    expect(await id('abc-123')).toBe('abc-123');
    expect(await id('a b<script>')).toBe('request-1');
    const form = { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    for (const [status, method, path, init] of [
      [404, 'GET', '/v1/items/none'],
      [400, 'GET', '/v1/items/%zz'],
      [405, 'POST', '/v1/page'],
      [415, 'POST', '/v1/items', form],
      [500, 'GET', '/v1/broken'],
    ] as const) {
      const answer = await api.call(method, path, init);
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, 'request-1']);
    }
    api.recorded.logged.length = 0;
  });

  it('to HEAD have the headers of GET and no body', async () => {
    const [head, get] = [await api.call('HEAD', '/v1/items/7'), await api.call('GET', '/v1/items/7')];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('paths', () => {
  it('prefer static segments over parameters', async () => {
    expect((await api.call('GET', '/v1/items/version')).body).toBe('1');
    expect((await api.call('GET', '/v1/items/other')).body).toMatchObject({ id: 'other' });
  });

  it('are decoded', async () => {
    expect((await api.call('GET', '/v1/items/a%2Fb%20c')).body).toMatchObject({ id: 'a/b c' });
    for (const path of ['/v1/items/%zz', '/v1/items/%ff', '/v1/items/a%']) {
      expect(await api.call('GET', path)).toMatchObject(refusal(400, null, 'AB01'));
    }
    expect(api.rest.match(get, '/v1/others/%zz')).toBeNull();
  });

  it('that no document knows are left to others, as are bases that are not served', () => {
    expect(api.rest.match(get, '/v1/chat/completions')).toBeNull();
    expect(api.rest.match(get, '/v2/items')).toBeNull();
  });

  it('answer 405 to another method, with the methods they take', async () => {
    const answer = await api.call('PATCH', '/v1/items/7');
    expect(answer).toMatchObject(refusal(405, null));
    expect(answer.headers.get('allow')).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
    expect(answer.headers.get('x-request-id')).toBe('request-1');
    expect((await api.call('GET', '/v1/plain')).headers.get('allow')).toBe('POST, OPTIONS');
  });
});

describe('reads', () => {
  const tagOf = async (path: string) => (await api.call('GET', path)).headers.get('etag') ?? '';
  const ask = (ifNoneMatch: string, method = 'GET', path = '/v1/items/7') =>
    api.call(method, path, { headers: { 'if-none-match': ifNoneMatch } });

  it('carry an ETag that says whether the body is the same', async () => {
    expect(await tagOf('/v1/items/7')).toMatch(/^"[\w-]{43}"$/);
    expect(await tagOf('/v1/items/7')).toBe(await tagOf('/v1/items/7'));
    expect(await tagOf('/v1/items/8')).not.toBe(await tagOf('/v1/items/7'));
    expect((await api.call('HEAD', '/v1/items/7')).headers.get('etag')).toBe(await tagOf('/v1/items/7'));
  });

  it('answer 304 without a body to who has the answer already', async () => {
    const tag = await tagOf('/v1/items/7');
    for (const given of [tag, `W/${tag}`, `"a,b", ${tag}`, `"x",${tag} , "y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(given, method);
        expect(answer).toMatchObject({ status: 304, text: '' });
        expect(answer.headers.get('etag')).toBe(tag);
        expect(answer.headers.get('x-request-id')).toBe('request-1');
        expect(answer.headers.get('content-type')).toBeNull();
      }
    }
  });

  it('answer in full to who has another answer, or names none in a way that is understood', async () => {
    const tag = await tagOf('/v1/items/7');
    for (const given of [
      '"other"',
      'W/"other"',
      '""',
      tag.slice(1, -1),
      `${tag.slice(0, -1)}x"`,
      'w/""',
      ',',
    ]) {
      expect(await ask(given)).toMatchObject({ status: 200, body: { id: '7' } });
    }
    expect((await ask('*', 'GET', '/v1/items/none')).status).toBe(404);
  });

  it('are JSON whatever kinds of answer the caller would rather have', async () => {
    const answer = await api.call('GET', '/v1/items/7', { headers: { accept: 'text/html' } });
    expect(answer).toMatchObject({ status: 200, body: { id: '7' } });
  });
});

describe('OPTIONS', () => {
  it('answers the methods of a path, without a credential', async () => {
    const answer = await api.call('OPTIONS', '/v1/items/7');
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
    expect(answer.headers.get('x-request-id')).toBe('request-1');
  });

  it('and 405 leave out what a path takes that differs from it in a parameter', async () => {
    for (const path of ['/v1/items/version', '/v1/items/version/']) {
      expect((await api.call('OPTIONS', path)).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      const answer = await api.send('PUT', path, {});
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});

describe('errors', () => {
  it('have the administration envelope', async () => {
    expect(await api.call('GET', '/v1/items/none')).toMatchObject({
      status: 404,
      body: {
        error: { message: 'The item does not exist.', type: 'not_found_error', param: null, code: 'AB08' },
      },
    });
  });

  it('keep defects private and log them', async () => {
    const answer = await api.call('GET', '/v1/broken');
    expect(answer).toMatchObject(refusal(500, null, 'AB04'));
    expect(answer.text).not.toMatch(/secret/);
    expect(api.recorded.logged).toMatchObject([
      { members: { requestId: 'request-1', operation: 'small.graphql: broken' } },
    ]);
  });
});

describe('whatever a caller sends', () => {
  it('never becomes a 500', async () => {
    const paths = fc.constantFrom('/v1/items', '/v1/plain', '/v1/items/1', '/v1/items/1/rotate');
    const methods = fc.constantFrom('POST', 'PUT', 'GET', 'DELETE', 'PATCH');
    const member = fc.oneof(
      fc.constantFrom(
        'first_name',
        'firstName',
        'limit',
        'settings',
        'tags',
        'level',
        '__proto__',
        'constructor',
      ),
      fc.string(),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.dictionary(member, tie('tree'), { maxKeys: 5 })),
    }));
    const bodies = fc.oneof(
      tree.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const queries = fc.array(
      fc.tuple(fc.oneof(fc.constantFrom('page_size', 'ids', 'level'), fc.string()), fc.string()),
    );
    await fc.assert(
      fc.asyncProperty(methods, paths, queries, bodies, async (method, path, query, body) => {
        const hasBody = method !== 'GET';
        const answer = await api.call(method, `${path}?${new URLSearchParams(query)}`, {
          ...(hasBody && { body, headers: { 'content-type': 'application/json' } }),
        });
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  }, 120_000);
});
