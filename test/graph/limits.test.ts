import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DocumentNode, type FieldNode, Kind, parse, type SelectionNode } from 'graphql';
import { createSafety, defaultSafety } from '../../src/graph/index.ts';
import { createMeasure } from '../../src/graph/safety/limits/measure.ts';
import { smallGraph } from './small-graph.ts';

const nothing = () => null;
const { schema } = smallGraph({
  sdl: `
    type Query {
      node: Node
      nodes: [Node!]
      page(pageSize: Int = 3 @constraint(max: 10)): NodePage
      some(limit: Int! = 2): [Node!]
      byKeys(representations: [ID!]!): [Node!]
    }
    type Node { id: ID name: String tags: [String!] self: Node many: [Node!] some(limit: Int! = 2): [Node!] page: NodePage }
    type NodePage { total: Int data: [Node!] }`,
  resolvers: {
    Query: { node: nothing, nodes: nothing, page: nothing, some: nothing, byKeys: nothing },
  },
});

const measure = createMeasure(schema);
const measured = (text: string, variables = {}) => {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation goes first.');
  return measure(document, operation, variables);
};

const safety = createSafety({ ...defaultSafety, maxDepth: 5, maxCost: 6_000 });
/** The messages that refuse an operation; none when it may run. */
const refusals = (query: string, variables = {}, operationName?: string): string[] => {
  const admitted = safety.admit(schema, { query, variables, operationName });
  return Array.isArray(admitted) ? admitted.map(({ message }) => message) : [];
};

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

describe('the measure of an operation', () => {
  it('counts fields where they are, in fragments and beside them', () => {
    expect(
      measured('{ node { id ... on Node { me: name } ...A } } fragment A on Node { self { x: id } }'),
    ).toEqual({
      depth: 3,
      fields: 5,
      aliases: 2,
      introspectionAliases: 0,
      rootFields: 1,
      cost: 14,
    });
  });

  it.each([
    ['a page size that is written', '{ page(pageSize: 7) { data { id } } }', {}, 10 + 7 * 2],
    ['the default of the argument', '{ page { data { id } } }', {}, 10 + 3 * 2],
    ['a variable', 'query ($n: Int) { page(pageSize: $n) { data { id } } }', { n: 5 }, 10 + 5 * 2],
    [
      'the default of a variable',
      'query ($n: Int = 4) { page(pageSize: $n) { data { id } } }',
      {},
      10 + 4 * 2,
    ],
    ['a variable that is left out', 'query ($n: Int) { page(pageSize: $n) { data { id } } }', {}, 10 + 3 * 2],
    ['null', 'query ($n: Int) { page(pageSize: $n) { data { id } } }', { n: null }, 10 + 3 * 2],
    ['no more than the argument takes', '{ page(pageSize: 999) { data { id } } }', {}, 10 + 10 * 2],
    [
      'the most for what is no number',
      'query ($n: Int) { page(pageSize: $n) { data { id } } }',
      { n: '2' },
      10 + 10 * 2,
    ],
    ['at least one', '{ some(limit: -5) { id } }', {}, 10 + 1],
    ['the length of a list of keys', '{ byKeys(representations: ["a", "b", "c"]) { id } }', {}, 10 + 3],
    [
      'a list of keys in a variable',
      'query ($k: [ID!]!) { byKeys(representations: $k) { id } }',
      { k: ['a', 'b'] },
      10 + 2,
    ],
    ['twenty for a list of unknown length', '{ nodes { id } }', {}, 10 + 20],
    ['twenty for a page of unknown length', '{ node { page { data { id } } } }', {}, 10 + 1 + 20 * 2],
    ['lists in lists', '{ some(limit: 3) { some(limit: 4) { id } } }', {}, 10 + 3 * (1 + 4)],
    ['texts in a list as part of it', '{ node { tags } }', {}, 10 + 1],
    ['introspection as plain fields', '{ __schema { types { name } } }', {}, 10 + 2],
  ])('takes for the cost %s', (_what, text, variables, cost) => {
    expect(measured(text, variables).cost).toBe(cost);
  });

  it('reads each part of the text once, however often its fragments are spread', () => {
    const fragments = times(100, (at) => `fragment F${at} on Node { self { ...F${at + 1} } ...F${at + 1} }`);
    const document = parse(`{ node { ...F0 ...F0 } } ${fragments} fragment F100 on Node { id }`);
    let reads = 0;
    const sets = countReads(document, () => reads++);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation goes first.');
    expect(measure(document, operation, {}).fields).toBeGreaterThan(2 ** 100);
    expect(reads).toBeLessThanOrEqual(sets);
  });

  it('is the one of the operation with its fragments written out', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 0, max: 4 }), (text, n) => {
        const document = parse(text);
        expect(measured(text, { n })).toEqual(naive(document, { n }));
      }),
      { numRuns: 200 },
    );
  });
});

/** Calls `onRead` whenever the selections of a set are read; answers how many sets there are. */
function countReads(node: unknown, onRead: () => void): number {
  if (typeof node !== 'object' || node === null || 'start' in node) return 0;
  let sets = 0;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'loc') continue;
    sets += countReads(value, onRead);
    if (name !== 'selections') continue;
    sets++;
    Object.defineProperty(node, name, {
      get() {
        onRead();
        return value;
      },
    });
  }
  return sets;
}

const leaves = ['id', 'alias: name', 'tags', '__typename', '... on Node { id }'];

/** Selections on Node; they spread fragments with a higher number only, so that none contains itself. */
const selections = (from: number): fc.Arbitrary<string> =>
  fc.letrec<{ set: string; selection: string }>((tie) => ({
    set: fc.array(tie('selection'), { minLength: 1, maxLength: 2 }).map((all) => all.join(' ')),
    selection: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...leaves, ...Array.from({ length: 3 - from }, (_, at) => `...F${from + at}`)),
      tie('set').map((set) => `self { ${set} }`),
      tie('set').map((set) => `other: some(limit: 3) { ${set} }`),
      tie('set').map((set) => `some(limit: $n) { ${set} }`),
      tie('set').map((set) => `... { ${set} }`),
    ),
  })).set;

const documents = fc
  .tuple(selections(0), ...[1, 2, 3].map((at) => selections(at)))
  .map(([root, ...fragments]) => {
    const defined = fragments.map((text, at) => `fragment F${at} on Node { ${text} }`).join(' ');
    return `query ($n: Int = 2) { node { ${root} } page(pageSize: 2) { total data { ${root} } } } ${defined}`;
  });

/** The same measure, by writing out every fragment wherever it is spread. */
function naive(document: DocumentNode, { n }: { n: number }) {
  const fieldsIn = (selections: readonly SelectionNode[]): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet.selections);
      const fragment = document.definitions.find(
        (definition) =>
          definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsIn(fragment.selectionSet.selections) : [];
    });
  const below = (field: FieldNode) => fieldsIn(field.selectionSet?.selections ?? []);
  const all = (fields: FieldNode[]): FieldNode[] => fields.flatMap((field) => [field, ...all(below(field))]);
  const depth = (fields: FieldNode[]): number =>
    fields.length === 0 ? 0 : 1 + Math.max(...fields.map((field) => depth(below(field))));
  const items = (field: FieldNode): number => {
    if (field.name.value === 'page') return 2;
    if (field.name.value !== 'some') return 1;
    return field.alias ? 3 : Math.max(1, n);
  };
  const answered = (fields: FieldNode[]): number => {
    let sum = 0;
    for (const field of fields) {
      sum++;
      sum += items(field) * answered(below(field));
    }
    return sum;
  };
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation goes first.');
  const roots = fieldsIn(operation.selectionSet.selections);
  return {
    depth: depth(roots),
    fields: all(roots).length,
    aliases: all(roots).filter(({ alias }) => alias).length,
    introspectionAliases: 0,
    rootFields: roots.length,
    cost: answered(roots) + 9 * roots.length,
  };
}

/** `{ node { self { id } } }` has three levels. */
const nested = (levels: number) => `{ node ${'{ self '.repeat(levels - 2)}{ id }${' }'.repeat(levels - 1)}`;

const aliases = (count: number) => times(count, (at) => `a${at}: id`);
const chain = (levels: number) =>
  `{ node { ...F3 } } fragment F${levels + 1} on Node { id }
   ${times(levels - 2, (at) => `fragment F${at + 3} on Node { self { ...F${at + 4} } }`)}`;

/** What may be had, a text that has just as much, and what is said about one more. */
const bounds: [string, (size: number) => string, number, RegExp][] = [
  ['levels of fields', nested, 5, /^The operation has 6 levels of fields; the limit is 5\.$/],
  [
    'levels of fields with inline fragments around them',
    (size) =>
      nested(size)
        .replaceAll('self', '... { ... on Node { self')
        .replace('}', '} '.repeat(2 * size - 3)),
    5,
    /has 6 levels/,
  ],
  ['levels of fields in fragments in fragments', chain, 5, /has 6 levels/],
  ['root fields', (size) => `{ ${times(size, () => '__typename')} }`, 20, /has 21 root fields.* 20\.$/],
  [
    'root fields in fragments',
    (size) => `{ ...A ... { node { id } } } fragment A on Query { ${times(size - 1, () => '__typename')} }`,
    20,
    /has 21 root fields/,
  ],
  ['aliases', (size) => `{ node { ${aliases(size)} } }`, 100, /has 101 aliases.* 100\.$/],
  [
    'aliases in fragments that are spread twice',
    (size) => `{ node { ...A ... { ...A } ${aliases(size - 50)} } } fragment A on Node { ${aliases(25)} }`,
    100,
    /has 101 aliases/,
  ],
  [
    'aliases in introspection: none',
    (size) =>
      `{ a: __type(name: "Node") { name ...T } b: __type(name: "Query") { ...T }
         __schema { types { ...T } ${times(size, (at) => `a${at}: types { name }`)} } }
       fragment T on __Type { kind }`,
    0,
    /has 1 aliases in introspection.* 0\.$/,
  ],
  ['aliases of it', (size) => `{ ${size ? 'all: ' : ''}__schema { types { name } } }`, 0, /has 1 aliases in/],
  [
    'aliases in a type of it',
    (size) => `{ __type(name: "Node") { ...T } } fragment T on __Type { ${size ? 'all: ' : ''}name }`,
    0,
    /has 1 aliases in/,
  ],
  ['fields', (size) => `{ node { ${times(size - 1, () => 'id')} } }`, 500, /has 501 fields.* 500\.$/],
  ['typenames', (size) => `{ node { ${times(size - 1, () => '__typename')} } }`, 500, /has 501 fields/],
  [
    'fields in fragments that are spread twice',
    (size) =>
      `{ node { ...A ...A ${times(size - 401, () => 'id')} } } fragment A on Node { ${times(200, () => 'id')} }`,
    500,
    /has 501 fields/,
  ],
  [
    'operations and fragments',
    (size) =>
      `query Q { node { ...F } } fragment F on Node { id } ${times(size - 2, (at) => `query Q${at} { node { id } }`)}`,
    100,
    /^The document has 101 operations and fragments; the limit is 100\.$/,
  ],
  [
    'tokens, those of a long list among them',
    (size) => `query Q { byKeys(representations: [${times(size - 14, () => '1')}]) { __typename } }`,
    5_000,
    /more tha[nt] 5000 tokens/,
  ],
];

describe('the limits', () => {
  it.each(bounds)('allow just so many %s', (_what, text, limit, refusal) => {
    expect(refusals(text(limit), {}, /query Q /.test(text(limit)) ? 'Q' : undefined)).toEqual([]);
    expect(refusals(text(limit + 1))).toEqual([expect.stringMatching(refusal)]);
  });
});
