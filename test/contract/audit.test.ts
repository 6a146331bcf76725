import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { readRule } from '../../src/graph/rules/read-rule.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { auditLogModel } from '../../src/subgraphs/insights/audit-log/index.ts';
import { auditRows, errorOf, makeKey } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';

const { schema } = createGraph(readSources(subgraphs));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
const resources = new Set(
  subgraphs.flatMap((subgraph) => subgraph.resources.map(({ name }) => name.replaceAll('-', '_'))),
);

/** First parts of actions that are no resource with documents of its own; each with the reason. */
const withoutDocuments: Record<string, string> = {};

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await startApp();
  key = await makeKey(app, 'workspace-user', { only: ['models.list'] });
});
afterAll(() => app.stop());

/** The least value that a type takes. */
function least(type: GraphQLInputType): unknown {
  if (isListType(type)) return [];
  if (isNonNullType(type)) return least(type.ofType);
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return Object.fromEntries(required.map((field) => [field.name, least(field.type)]));
  }
  const values: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Count: 1,
    Boolean: true,
    DateTime: '2026-01-01T00:00:00Z',
  };
  return values[type.name] ?? 'x';
}

function callOf(field: GraphQLField<unknown, unknown>) {
  const args = field.args.filter((argument) => isNonNullType(argument.type) && !argument.defaultValue);
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = isObjectType(getNamedType(field.type)) ? ' { __typename }' : '';
  return {
    document: `mutation${declared && `(${declared})`} { ${field.name}${given && `(${given})`}${selection} }`,
    variables: Object.fromEntries(args.map(({ name, type }) => [name, least(type)])),
  };
}

describe('every audited mutation', () => {
  const audited = mutations.flatMap((field) => {
    const action = readRule(schema, 'audit', field)?.action;
    return action === undefined ? [] : [[field.name, field, action] as const];
  });

  it('belongs to a resource, whose documents its entries tell apart', () => {
    const unknown = audited
      .map(([, , action]) => action.split('.')[0] ?? '')
      .filter((resource) => !resources.has(resource) && !(resource in withoutDocuments));
    expect(unknown).toEqual([]);
  });

  it.each(audited.filter(([, field]) => readRule(schema, 'access', field)))(
    '%s leaves an entry when it is refused',
    async (_name, field, action) => {
      const { document, variables } = callOf(field);
      const [resourceType, verb] = action.split('.');
      const filter = { resourceType, action: verb };
      const before = (await auditRows(app, filter)).length;
      expect(errorOf(await app.graphql(document, variables, key))).toMatchObject({ code: 'FORBIDDEN' });
      const rows = await auditRows(app, filter);
      expect(rows).toHaveLength(before + 1);
      expect(rows.at(-1)).toMatchObject({
        outcome: 'refused',
        responseStatusCode: 403,
        userType: 'api_key',
        sequence: expect.any(Number),
      });
    },
  );
});

describe('the audit trail', () => {
  it('is changed and emptied by no field of the graph', () => {
    const touching = mutations.filter(
      (field) =>
        /audit/i.test(`${field.name} ${field.type}`) ||
        readRule(schema, 'audit', field)?.action.startsWith('audit'),
    );
    expect(touching.map(({ name }) => name)).toEqual([]);
  });

  it('is only read over REST', async () => {
    const { paths } = (await app.rest('GET', '/openapi.json')).body as { paths: Record<string, object> };
    const methods = Object.entries(paths).flatMap(([path, operations]) =>
      path.includes('audit') ? Object.keys(operations) : [],
    );
    expect(new Set(methods)).toEqual(new Set(['get']));
  });

  it('is removed by no retention', () => {
    const options = auditLogModel(app.db)
      .schema.indexes()
      .map(([, option]) => option);
    expect(options.filter((option) => 'expireAfterSeconds' in (option ?? {}))).toEqual([]);
  });
});
