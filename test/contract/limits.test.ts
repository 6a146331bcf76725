import { describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery, parse, print, separateOperations, visit } from 'graphql';
import { operationFiles } from '../../rest-compat/index.ts';
import { createGraph, createSafety, defaultSafety, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';

const { schema } = createGraph(readSources(subgraphs));
const safety = createSafety();

const refusals = (query: string, variables = {}): string[] => {
  const admitted = safety.admit(schema, { query, variables });
  return Array.isArray(admitted) ? admitted.map(({ message }) => message) : [];
};

const restDocuments = operationFiles().flatMap(({ path, text }) =>
  Object.entries(separateOperations(parse(text))).map(([name, document]) => {
    const query = print(
      visit(document, { Directive: ({ name }) => (name.value === 'rest' ? null : undefined) }),
    );
    return [`${path}: ${name}`, query] as const;
  }),
);

/** The largest page that any list of this project answers. */
const largest = { pageSize: 1000, limit: 100 };

describe('the default limits', () => {
  it.each(restDocuments)('admit %s as GraphQL, with its largest page', (_name, query) => {
    expect(refusals(query, largest)).toEqual([]);
  });

  it.each([
    ['the introspection query', getIntrospectionQuery()],
    [
      'the introspection query of explorers that ask for everything',
      getIntrospectionQuery({
        descriptions: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      }),
    ],
    [
      'a hundred items over three subgraphs',
      `{ logs(pageSize: 100) { total data {
         id createdAt responseStatusCode cost totalTokens aiModel
         workspace { id slug name }
         provider { slug name status integration { slug name status workspace { slug name } } }
         config { slug name status workspace { slug name description } }
       } } }`,
    ],
  ])('admit %s', (_what, query) => {
    expect(refusals(query)).toEqual([]);
  });

  it('refuse a hundred logs, each with a long list of its own', () => {
    const query = `query ($limit: Int!) {
      logs(pageSize: 100) { data { provider { integration { models(limit: $limit) { slug name enabled } } } } } }`;
    expect(refusals(query, { limit: 100 })).toEqual([]);
    expect(refusals(query, { limit: 1000 })).toEqual([
      expect.stringMatching(/^The operation costs \d+; the limit is 100000\.$/),
    ]);
  });

  it('hide the schema where introspection is off', () => {
    const hidden = createSafety({ ...defaultSafety, introspection: false });
    const told = [
      '{ __schema { queryType { name } } }',
      '{ __type(name: "Log") { fields { name } } }',
      '{ confgs { total } }',
      '{ configs(pageSiz: 1) { total } }',
      'mutation { createConfig(input: { nam: "x" }) { id } }',
      '{ configs }',
      '{ configs { data { ... on Confg { id } } } }',
    ].flatMap((query) => {
      const admitted = hidden.admit(schema, { query });
      return Array.isArray(admitted) ? admitted.map(({ message }) => message) : [`${query} is admitted`];
    });
    expect(told.filter((message) => /did you mean|is admitted/i.test(message))).toEqual([]);
    expect(told.length).toBeGreaterThanOrEqual(7);
  });
});
