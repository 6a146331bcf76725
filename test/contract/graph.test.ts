import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type GraphQLField, type GraphQLObjectType, isNonNullType, isObjectType } from 'graphql';
import { isPermission } from '../../src/auth/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { readRule } from '../../src/graph/rules/read-rule.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';

const graph = createGraph(readSources(subgraphs));
const { schema } = graph;

type Field = { coordinate: string; field: GraphQLField<unknown, unknown> };

const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] =>
  Object.values(type?.getFields() ?? {}).map((field) => ({
    coordinate: `${type?.name}.${field.name}`,
    field,
  }));

const queries = fieldsOf(schema.getQueryType());
const mutations = fieldsOf(schema.getMutationType());
const subscriptions = fieldsOf(schema.getSubscriptionType());
const coordinates = (fields: Field[]) => fields.map(({ coordinate }) => coordinate);

/** Mutations that change nothing an auditor would ask about; each with the reason. */
const withoutAudit: Record<string, string> = {
  'Mutation.createThread': 'runs and what is said are in the request log',
  'Mutation.updateThread': 'runs and what is said are in the request log',
  'Mutation.createThreadMessage': 'runs and what is said are in the request log',
  'Mutation.updateThreadMessage': 'runs and what is said are in the request log',
  'Mutation.deleteThreadMessage': 'runs and what is said are in the request log',
  'Mutation.createRun': 'runs and what is said are in the request log',
  'Mutation.createThreadAndRun': 'runs and what is said are in the request log',
  'Mutation.updateRun': 'runs and what is said are in the request log',
  'Mutation.cancelRun': 'runs and what is said are in the request log',
  'Mutation.submitToolOutputs': 'runs and what is said are in the request log',
};

describe('the public schema', () => {
  it('says who may use each field of Query, Mutation and Subscription', () => {
    const open = [...queries, ...mutations, ...subscriptions].filter(
      ({ field }) =>
        !(['access', 'authenticated', 'public'] as const).some((rule) => readRule(schema, rule, field)),
    );
    expect(coordinates(open)).toEqual([]);
  });

  it('has every mutation audited, as `resource.verb`', () => {
    const silent = mutations.filter(({ coordinate, field }) => {
      const action = readRule(schema, 'audit', field)?.action;
      return !/^[a-z_]+\.[a-z_]+$/.test(action ?? '') && !(coordinate in withoutAudit);
    });
    expect(coordinates(silent)).toEqual([]);
  });

  it('asks only for permissions that exist', () => {
    const types = Object.values(schema.getTypeMap()).filter(
      (type) => 'getFields' in type && !('isOneOf' in type),
    );
    const unknown = types
      .flatMap((type) => fieldsOf(type as GraphQLObjectType))
      .flatMap(({ coordinate, field }) =>
        (readRule(schema, 'access', field)?.anyOf ?? []).map((scope) => ({ coordinate, scope })),
      )
      .filter(({ scope }) => !isPermission(scope));
    expect(unknown).toEqual([]);
  });

  it('lets one field fail alone: what may be refused, and each root query, can be null', () => {
    const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
    const changing = [schema.getMutationType(), schema.getSubscriptionType()];
    const all = objects.filter((type) => !changing.includes(type)).flatMap(fieldsOf);
    const refusable = all.filter(({ field }) => readRule(schema, 'access', field) !== null);
    expect(refusable.length).toBeGreaterThan(queries.length / 2);
    const emptying = [...queries, ...refusable].filter(({ field }) => isNonNullType(field.type));
    expect(coordinates(emptying)).toEqual([]);
  });

  it('is the one that was reviewed', () => {
    const printed = new URL('printed.graphql', import.meta.url);
    if (process.env.UPDATE_PRINTED) writeFileSync(printed, graph.sdl);
    // After a wanted change: UPDATE_PRINTED=1 npm test -- test/contract
    expect(graph.sdl).toBe(readFileSync(printed, 'utf8'));
  });
});

describe('schema/', () => {
  it('holds one file for each resource, and no other', () => {
    const folder = new URL('../../schema/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('/'),
    );
    const expected = subgraphs.flatMap(({ name, resources }) =>
      resources.map((resource) => `${name}/${resource.name}.graphql`),
    );
    expect(files.sort()).toEqual(expected.sort());
  });
});
