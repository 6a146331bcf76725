import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dumpResources } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ask = async (body: object) => {
  const { status, body: answer } = await app.rest('POST', '/graphql', { body });
  return { status, ...(answer as { errors?: { message: string; extensions: { code: string } }[] }) };
};
const MAX_CHARACTERS = 2001;
const long = 'q'.repeat(100_000);

describe('an operation that is not in the document', () => {
  const create =
    'mutation A { createConfig(input: { name: "ghost", config: { retry: { attempts: 1 } } }) { id } }';
  it.each([
    ['the name of none', create, 'B'],
    ['a name of a hundred thousand letters', create, long],
    ['no name where there are several', `${create} query C { configs { total } }`, undefined],
  ])('is refused, and nothing runs: %s', async (_what, query, operationName) => {
    const before = await dumpResources(app);
    const { status, errors } = await ask({ query, operationName });
    expect({ status, code: errors?.[0]?.extensions.code }).toEqual({
      status: 400,
      code: 'OPERATION_RESOLUTION_FAILURE',
    });
    expect(errors?.[0]?.message).toBe('operationName must name one operation of the document.');
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('a document that nests', () => {
  // The parser's own stack may end before the limit is measured.
  const tooDeep = /^The document (nests brackets \d+ levels deep; the limit is 200|is nested too deeply)\.$/;
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  it.each([
    ['a list', (value: string) => `{ apiKeys(ids: ${value}) { total } }`, 2400],
    [
      'two equal lists',
      (value: string) => `{ apiKeys(ids: ${value}) { total } apiKeys(ids: ${value}) { total } }`,
      1200,
    ],
    [
      'the default of a variable',
      (value: string) => `query ($i: [ID!] = ${value}) { apiKeys(ids: $i) { total } }`,
      2400,
    ],
  ])('%s too deeply is refused in words, on every door', async (_what, document, levels) => {
    const { status, errors } = await ask({ query: document(lists(levels)) });
    expect(status).toBe(400);
    expect(errors?.[0]?.message).toMatch(tooDeep);
    const { body } = await app.rest('POST', '/graphql/stream', { body: { query: document(lists(levels)) } });
    expect(JSON.stringify(body)).toMatch(/The document (nests brackets|is nested)/);
    expect(JSON.stringify(body)).not.toContain('call stack');
    const shallow = await ask({ query: document(lists(50)) });
    expect(shallow.errors?.[0]?.message).toMatch(/^(ID|Expected|Fields|Variable)/);
  });
});

describe('a mistake is quoted, but not without bound:', () => {
  it.each<[string, object]>([
    ['a number', { query: `{ apiKeys(pageSize: ${'9'.repeat(100_000)}) { total } }` }],
    ['a field', { query: `{ ${long} }` }],
    ['a variable', { query: 'query ($n: Int!) { apiKeys(pageSize: $n) { total } }', variables: { n: long } }],
  ])('%s of the graph', async (_what, body) => {
    const { status, errors } = await ask(body);
    expect(status).toBe(400);
    expect(errors?.[0]?.message.length).toBe(MAX_CHARACTERS);
  });

  it('a member of a body over REST', async () => {
    const body = { name: 'x', config: {}, [long]: 1 };
    const answer = (await app.rest('POST', '/v1/configs', { body })) as { status: number; body: any };
    const { message, param } = answer.body.error;
    expect([answer.status, message.length, param.length]).toEqual([400, MAX_CHARACTERS, MAX_CHARACTERS]);
  });
});
