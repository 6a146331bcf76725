import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'graphql';
import { pages } from '../docs/pages.ts';
import { rounds } from '../support/long.ts';
import { randomQuery } from './random-query.ts';
import { idNames, resourceOf, restDocuments, schema, variablesFor } from './rest-documents.ts';
import { startTwins, type Twins } from './twins.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

let twins: Twins;
let token: string;
beforeAll(async () => {
  twins = await startTwins();
  token = await twins.app.token();
});
afterAll(() => twins.stop());

describe('each REST document that reads', () => {
  it.each(restDocuments('query').map((o) => [o.label, o] as const))(
    '%s: same data, same errors',
    async (label, { document }) => {
      const { ids, workspaceId, adminKey, workspaceKey } = twins.fused;
      // Scopes are asked for by the type of a key.
      const type = resourceOf(label) === 'scope' && { type: 'workspace-service' };
      const given = { ...idNames(ids[resourceOf(label)], workspaceId), ...type };
      const known = variablesFor(document, given);
      const keys = [adminKey, workspaceKey, token];
      const answers = await Promise.all(keys.map((key) => twins.expectSame(document, known, key)));
      // One of them may read what is there; lists, restrictions, defaults and sums are, without any document.
      const isThere =
        resourceOf(label) in ids ||
        / list(?!ProviderModelPricing|UsageLimitPolicyEntities|ThreadMessages|Runs|RunSteps|VectorStoreFiles|VectorStoreFileBatchFiles|Mcp(?!Integrations$|Servers$))|Restrictions$|OrganisationDefaults$|analytics\.graphql/.test(
          label,
        );
      expect(answers.some(({ errors }) => errors.length === 0)).toBe(isThere);
      await twins.expectSame(document, variablesFor(document, idNames('nope', 'nope')), adminKey);
      await twins.expectSame(document, { ...known, pageSize: 0, currentPage: -1 }, adminKey);
      await twins.expectSame(
        document,
        Object.fromEntries(Object.keys(known).map((name) => [name, { not: 'this' }])),
        adminKey,
      );
    },
  );
});

describe('the examples of the documentation', () => {
  it('answer the same', async () => {
    const text = pages.map((page) => page.text).join('\n');
    const queries = [...text.matchAll(/"query": "((?:[^"\\]|\\.)*)"/g)].map(([, query = '']) =>
      JSON.parse(`"${query}"`),
    );
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) {
      // What a remote subgraph adds, what only comes over a stream, and what cannot be done twice.
      if (/costCenter|^subscription|^mutation/.test(query)) continue;
      const { errors } = await twins.expectSame(parse(query), {}, twins.fused.workspaceKey);
      expect(errors).toEqual([]);
    }
  });
});

const handWritten: Record<string, string> = {
  'a join over three subgraphs':
    '{ logs { data { id responseStatusCode config { id name workspace { id name organisation { name } } } provider { slug integration { slug } } apiKey { name workspace { slug } } } } }',
  'an entity without its key': '{ logs { data { config { name } workspace { name } } } }',
  'aliases of one field with other arguments':
    '{ configs { data { a: versions(limit: 1) { number } b: versions(limit: 5) { number } c: name d: name } } }',
  'fragments, directives and type names':
    'query ($on: Boolean = true) { __typename configs { __typename data { ...C ... on Config @include(if: $on) { slug } ... @skip(if: $on) { status } } } } fragment C on Config { workspace { __typename ...W } } fragment W on Workspace { name }',
  'several root fields of several subgraphs':
    '{ workspaces { total } configs { total } providers { total } integrations { total } logs { total } organisation { id name } }',
  'an error of one nullable field among data':
    '{ logs { data { id request { url body } config { name } } } }',
  'a refused root field': '{ auditLogs { total } }',
  'a root field that must not be null and is not there': '{ config(id: "nope") { id } }',
  'an argument out of bounds': '{ configs(pageSize: 0) { total } }',
  'an argument out of bounds below a list': '{ configs { data { name versions(limit: 1000) { number } } } }',
  'a field that asks for another scope':
    '{ logs { data { apiKey { name } workspace { name } provider { slug } } } }',
  'JSON with names of its own': '{ configs { data { config } } apiKeys { data { defaults } } }',
  times: '{ workspaces { data { createdAt lastUpdatedAt } } }',
};

describe('queries written by hand', () => {
  it.each(Object.entries(handWritten))('%s: same data, same errors', async (_what, text) => {
    const { adminKey, workspaceKey } = twins.fused;
    for (const key of [adminKey, workspaceKey, await twins.keyFor(['logs.list', 'configs.list'])]) {
      await twins.expectSame(parse(text), {}, key);
    }
  });

  it('has errors among them, and data', async () => {
    const key = await twins.keyFor(['logs.list', 'logs.view', 'configs.read']);
    const document = parse(
      '{ logs { data { responseStatusCode config { name workspace { name } } provider { slug } } } }',
    );
    const { data, errors } = await twins.expectSame(document, {}, key);
    expect(data.logs.data).toHaveLength(2);
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([
      ['logs.data.0.config.workspace', 'FORBIDDEN'],
      ['logs.data.0.provider', 'FORBIDDEN'],
      ['logs.data.1.config.workspace', 'FORBIDDEN'],
      ['logs.data.1.provider', 'FORBIDDEN'],
    ]);
  });
});

describe('random queries', () => {
  it('answer the same', async () => {
    const { ids, workspaceId, adminKey, workspaceKey } = twins.fused;
    const limited = await twins.keyFor(['logs.list', 'configs.list']);
    let [answered, failed] = [0, 0];
    for (let seed = 1; seed <= rounds(60, 150); seed += 1) {
      const text = randomQuery(schema, seed, [...Object.values(ids), workspaceId]);
      const key = [adminKey, workspaceKey, limited][seed % 3] ?? adminKey;
      const { data, errors } = await twins.expectSame(parse(text), {}, key);
      if (data) answered += 1;
      if (errors.length > 0) failed += 1;
    }
    expect(Math.min(answered, failed)).toBeGreaterThan(rounds(8, 20));
  });
});
