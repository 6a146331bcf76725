import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itemRest, refusal } from './item-rest.ts';

let api: Awaited<ReturnType<typeof itemRest>>;
beforeAll(async () => {
  api = await itemRest();
});
afterAll(() => api.close());

/** The first bytes of the answer to a request written by hand: `fetch` refuses bodies of GET. */
const rawCall = (line: string, headers: string[], body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const head = [line, 'host: x', 'connection: close', `content-length: ${body.length}`, ...headers];
    const socket = connect(api.port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });

describe('query parameters', () => {
  const list = async (query: string) => (await api.call('GET', `/v1/items?${query}`)).body;

  it('are typed by their variables, in either spelling', async () => {
    expect(await list('page_size=5&level=high&ratio=0.5&is_new=true')).toEqual({
      pageSize: 5,
      level: 'high',
      ratio: 0.5,
      isNew: true,
    });
    expect(await list('pageSize=6')).toEqual({ pageSize: 6 });
    expect(await list('since=2026-01-01T00:00:00Z')).toMatchObject({ since: '2026-01-01T00:00:00.000Z' });
    expect(await list('where=%7B%22aB%22%3A1%7D')).toMatchObject({ where: { aB: 1 } });
  });

  it("fall back to the schema's default", async () => {
    expect(await list('')).toEqual({ pageSize: 100 });
  });

  it.each([
    ['ids=a,b&ids=c', ['a', 'b', 'c']],
    ['ids[]=a&ids[]=b', ['a', 'b']],
    ['ids[0]=a&ids[1]=b&ids=c', ['a', 'b', 'c']],
    ['ids%5B%5D=a+b', ['a b']],
    ['ids[]=a,b&ids=c,%20d', ['a,b', 'c', 'd']],
    ['ids=', []],
    ['ids[]=', []],
    ['&&ids=a&', ['a']],
  ])('carry lists: %s', async (query, ids) => {
    expect(await list(query)).toEqual({ pageSize: 100, ids });
  });

  it('are bounded in number', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => index).join(',');
    expect((await api.call('GET', `/v1/items?ids=${values(1000)}`)).status).toBe(200);
    expect(await api.call('GET', `/v1/items?ids=${values(1001)}`)).toMatchObject(refusal(400, 'ids', 'AB01'));
    const many = 'ids=a&'.repeat(1001);
    expect(await api.call('GET', `/v1/items?${many}`)).toMatchObject(refusal(400, null, 'AB01'));
  });

  it.each([
    ['page_size=x', 'page_size'],
    ['page_size=1.5', 'page_size'],
    ['page_size=', 'page_size'],
    ['page_size=99999999999', 'page_size'],
    ['page_size=1&page_size=2', 'page_size'],
    ['page_size=1&pageSize=2', 'pageSize'],
    ['page_size=1001', 'page_size'],
    ['pageSize=1001', 'pageSize'],
    ['level=HIGH', 'level'],
    ['is_new=yes', 'is_new'],
    ['since=soon', 'since'],
    ['where={', 'where'],
    ['level=%zz', null],
    ['level=%ff', null],
    ['%c3=1', null],
  ])('%s is refused', async (query, param) => {
    expect(await api.call('GET', `/v1/items?${query}`)).toMatchObject(refusal(400, param, 'AB01'));
  });

  it('of JSON are bounded in depth', async () => {
    const where = (depth: number) => `where=${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(await list(where(64))).toMatchObject({ pageSize: 100 });
    for (const depth of [65, 5_000]) {
      const answer = await api.call('GET', `/v1/items?${where(depth)}`);
      expect(answer).toMatchObject(refusal(400, 'where', 'AB01'));
    }
  });

  it('that are unknown or missing are named', async () => {
    for (const name of ['foo', 'page_size[]', 'ids[a]', 'ids[0][0]', 'ids[', '__proto__', 'a b']) {
      const answer = await api.call('GET', `/v1/items?${encodeURIComponent(name)}=1`);
      expect(answer).toMatchObject(refusal(400, name, 'unknown_parameter'));
    }
    expect(await api.call('GET', '/v1/required')).toMatchObject(refusal(400, 'start_time', 'AB01'));
    expect((await api.call('GET', '/v1/required?start_time=2026-01-01T00:00:00Z')).status).toBe(200);
  });

  it('may repeat what the path says', async () => {
    for (const name of ['item_id', 'itemId']) {
      expect((await api.call('GET', `/v1/items/a%20b?${name}=a%20b`)).body).toMatchObject({ id: 'a b' });
      expect(await api.call('GET', `/v1/items/7?${name}=8`)).toMatchObject(refusal(400, name, 'AB01'));
    }
  });

  it('that are absent stay absent inside an object of the document', async () => {
    expect((await api.call('GET', '/v1/by-slug/abc?level=low')).body).toEqual({
      id: 'abc',
      settings: { slug: 'abc', level: 'low' },
    });
  });

  it('inside an object of the document are named, too', async () => {
    expect(await api.call('GET', '/v1/by-slug/1234')).toMatchObject(refusal(400, 'slug', 'AB01'));
  });

  it('are the members of a variable of an input type, each by its own name', async () => {
    const spread = (query: string) => api.call('GET', `/v1/spread?${query}`);
    expect((await spread('slug=abc&level=low&ratio=0.5')).body).toEqual({
      filter: { slug: 'abc', level: 'low' },
      ratio: 0.5,
    });
    expect(await spread('level=low')).toMatchObject(refusal(400, 'slug', 'AB01'));
    expect(await spread('slug=1234')).toMatchObject(refusal(400, 'slug', 'AB01'));
    expect(await spread('slug=abc&level=none')).toMatchObject(refusal(400, 'level', 'AB01'));
    expect(await spread('filter={}')).toMatchObject(refusal(400, 'filter', 'unknown_parameter'));
  });
});

describe('bodies', () => {
  it('become $input, in either spelling, with JSON members untouched', async () => {
    const settings = { some_key: { otherKey: [1] } };
    const body = { first_name: 'Ada', isDefault: true, limit: { below: [{ max_tokens: 1 }] }, settings };
    expect((await api.send('POST', '/v1/items', body)).body).toEqual({
      firstName: 'Ada',
      isDefault: true,
      limit: { below: [{ maxTokens: 1 }] },
      settings,
    });
    expect((await api.send('POST', '/v1/plain', { first_name: 'Ada' })).body).toEqual({
      firstName: 'Ada',
      maxTokens: 5,
    });
  });

  it('pass whole where $input is JSON', async () => {
    for (const body of [{ a_b: { cD: 1 } }, [1, { a_b: 2 }], 'text', 0]) {
      expect((await api.send('PUT', '/v1/items/1', body)).body).toEqual(body);
    }
  });

  it.each<[object, string, string]>([
    [{}, 'first_name', 'AB01'],
    [{ first_name: null }, 'first_name', 'AB01'],
    [{ firstName: 1 }, 'firstName', 'AB01'],
    [{ first_name: 'A' }, 'first_name', 'AB01'],
    [{ firstName: 'A' }, 'firstName', 'AB01'],
    [{ first_name: 'Ada', firstName: 'Ada' }, 'firstName', 'AB01'],
    [{ first_name: 'Ada', foo: 1 }, 'foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { foo: 1 } }, 'limit.foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { below: [{}, { foo: 1 }] } }, 'limit.below[1].foo', 'unknown_parameter'],
    [{ first_name: 'Ada', limit: { below: [{}, { max_tokens: 11 }] } }, 'limit.below[1].max_tokens', 'AB01'],
    [{ first_name: 'Ada', limit: { below: [{ maxTokens: 11 }] } }, 'limit.below[0].maxTokens', 'AB01'],
    [{ first_name: 'Ada', limit: [] }, 'limit', 'AB01'],
    [{ first_name: 'Ada', tags: 'a' }, 'tags', 'AB01'],
    [{ first_name: 'Ada', tags: [1] }, 'tags[0]', 'AB01'],
    [{ first_name: 'Ada', level: 'HIGH' }, 'level', 'AB01'],
    [{ first_name: 'Ada', is_default: 1 }, 'is_default', 'AB01'],
    [{ first_name: 'Ada', ratio: '1' }, 'ratio', 'AB01'],
    [{ first_name: 'Ada', expires_at: 'soon' }, 'expires_at', 'AB01'],
    [{ first_name: 'dup' }, 'first_name', 'AB07'],
    [{ first_name: 'Ada', settings: { badKey: 1 } }, 'settings.badKey', 'AB01'],
  ])('%j is refused', async (body, param, code) => {
    const status = code === 'AB07' ? 409 : 400;
    expect(await api.send('POST', '/v1/items', body)).toMatchObject(refusal(status, param, code));
  });

  it('name the member in the message as the caller wrote it', async () => {
    const { body } = await api.send('POST', '/v1/items', { first_name: 'A', limit: { max_tokens: 11 } });
    expect(body).toMatchObject({
      error: {
        message: 'first_name must have at least 2 characters.',
        errors: ['first_name must have at least 2 characters.', 'limit.max_tokens must be at most 10.'],
      },
    });
  });

  it('may repeat what the path says', async () => {
    const rename = (member: object) => api.send('PUT', '/v1/names/a%20b', { first_name: 'Ada', ...member });
    for (const name of ['item_slug', 'itemSlug']) {
      expect(await rename({ [name]: 'a b' })).toMatchObject({ status: 200, body: { firstName: 'Ada' } });
      for (const other of ['c', 'a%20b', null, ['a b']]) {
        const answer = await rename({ [name]: other });
        expect(answer).toMatchObject(refusal(400, name, 'AB01'));
        expect((answer.body as any).error.message).toBe(
          `${name} must be "a b", as the path says, or be left out.`,
        );
      }
    }
    expect(await rename({ slug: 'a b' })).toMatchObject(refusal(400, 'slug', 'unknown_parameter'));
    expect((await api.send('PUT', '/v1/limits/8', { max_tokens: 7 })).body).toEqual({ maxTokens: 7 });
  });

  it('may repeat the path where there is nothing else to say', async () => {
    const rotate = (body: unknown) => api.send('POST', '/v1/items/7/rotate', body);
    for (const same of [{ item_id: '7' }, { itemId: 7 }, {}]) {
      expect(await rotate(same)).toMatchObject({ status: 200, body: { id: '7' } });
    }
    expect(await rotate({ item_id: '8' })).toMatchObject(refusal(400, 'item_id', 'AB01'));
    expect(await rotate({ item_id: '7', name: 'x' })).toMatchObject(
      refusal(400, 'name', 'unknown_parameter'),
    );
    expect(await api.send('DELETE', '/v1/items/7', { item_id: '7' })).toMatchObject({ status: 200 });
    expect(await api.send('DELETE', '/v1/items/7', { item_id: '8' })).toMatchObject(refusal(400, 'item_id'));
  });

  it('may repeat fixed segments of the path by the names that the document gives them', async () => {
    const add = (member: object) => api.send('POST', '/v1/kinds/big/round', { first_name: 'Ada', ...member });
    expect(await add({ size: 'big', 'sub-type': 'round' })).toMatchObject({ status: 200 });
    expect(await add({ sub_type: 'round', subType: 'round' })).toMatchObject({ status: 200 });
    expect(await add({ 'sub-type': 'flat' })).toMatchObject(refusal(400, 'sub-type', 'AB01'));
    expect(await add({ kind: 'big' })).toMatchObject(refusal(400, 'kind', 'unknown_parameter'));
  });

  it('cannot repeat the path where the body is the caller’s own', async () => {
    const put = (body: unknown) => api.send('PUT', '/v1/items/7', body);
    expect((await put({ itemId: 'other' })).body).toEqual({ itemId: 'other' });
  });

  it('must be JSON, in UTF-8, of a bounded size and depth', async () => {
    const raw = (body: RequestInit['body'], type = 'application/json', more = {}) =>
      api.call('POST', '/v1/items', { body, headers: { 'content-type': type, ...more } });
    expect(await raw('{"first_name":')).toMatchObject(refusal(400, null));
    expect(await raw(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject(refusal(400, null));
    expect(await raw('a=b', 'application/x-www-form-urlencoded')).toMatchObject(refusal(415, null));
    expect(await raw('{}', 'application/json; charset=latin1')).toMatchObject(refusal(415, null));
    expect(await raw('{}', 'application/json', { 'content-encoding': 'gzip' })).toMatchObject(
      refusal(415, null),
    );
    expect(await raw(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject(refusal(413, null));
    expect(await raw(`{"settings":${'['.repeat(100)}${']'.repeat(100)}}`)).toMatchObject(refusal(400, null));
    expect(await raw('null')).toMatchObject(refusal(400, null));
    expect(await raw('[]')).toMatchObject(refusal(400, null));
    expect(await raw('')).toMatchObject(refusal(400, null));
    expect((await raw('{"first_name":"Ada"}', 'application/json; charset=UTF-8')).status).toBe(201);
  });

  it('of unknown length are bounded as well', async () => {
    const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1', () => {
        socket.write('POST /v1/items HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
        for (let index = 0; index < 20; index++) socket.write(chunk);
      });
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it.each(['GET', 'HEAD', 'DELETE'])('of a %s may be empty and nothing else', async (method) => {
    const send = (body: string, type = 'application/json') =>
      rawCall(`${method} /v1/items/1 HTTP/1.1`, [`content-type: ${type}`], body);
    expect(await send('')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send('{}')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send('{"a":1}')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await send('a=1', 'application/x-www-form-urlencoded')).toMatch(/^HTTP\/1\.1 415 /);
  });

  it('may be empty where the operation takes none', async () => {
    expect((await api.call('POST', '/v1/items/1/rotate')).body).toEqual({ id: '1' });
    expect((await api.send('POST', '/v1/items/1/rotate', {})).status).toBe(200);
    expect(await api.send('POST', '/v1/items/1/rotate', { a: 1 })).toMatchObject(
      refusal(400, 'a', 'unknown_parameter'),
    );
  });
});
