import { describe, expect, it } from '@jest/globals';
import {
  type FragmentDefinitionNode,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { restOf, withRestDirective } from '../../rest-compat/compile/rest-directive.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';

const { schema } = createGraph(readSources(subgraphs));
const extended = withRestDirective(schema);

const documents = operationFiles().map(({ path, text }) => ({ path, document: parse(text) }));
const fragments = documents.flatMap(({ path, document }) =>
  document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [{ path, node }] : [])),
);

/** What has an id of its own is a resource; pages and parts of a resource are not. */
const isResource = (name: string | undefined): boolean => {
  const type = schema.getType(name ?? '');
  return isObjectType(type) && type.getFields().id !== undefined;
};

const isPublished = (fragment: FragmentDefinitionNode): boolean =>
  fragment.name.value === fragment.typeCondition.name.value || fragment.description !== undefined;

const isOneShape = ({ selections: [only, ...others] }: SelectionSetNode): boolean =>
  only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0;

describe('the shape in which REST shows a resource', () => {
  it('is a fragment named after it, or a variant that says what it is for', () => {
    const wrong = fragments
      .filter(({ node }) => isResource(node.typeCondition.name.value) && !isPublished(node))
      .map(({ path, node }) => `${path}: ${node.name.value} needs a description`);
    expect(wrong).toEqual([]);
  });

  it('has a name that no other shape has', () => {
    const names = fragments.map(({ node }) => node.name.value);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const taken = names.filter((name) => schema.getType(name) && !isObjectType(schema.getType(name)));
    expect(taken).toEqual([]);
  });

  it('is spread, never picked by hand', () => {
    const info = new TypeInfo(extended);
    const wrong: string[] = [];
    for (const { path, document } of documents) {
      visit(
        document,
        visitWithTypeInfo(info, {
          // An answer that the envelope leaves out is shown to nobody, and one that it takes apart has the envelope's shape.
          OperationDefinition: (node) =>
            JSON.stringify(restOf(extended, node)?.envelope ?? '$').includes('"$"') ? undefined : false,
          Field: ({ name, selectionSet }) => {
            const type = getNamedType(info.getType());
            if (!selectionSet || !isResource(type?.name) || isOneShape(selectionSet)) return;
            wrong.push(`${path}: ${name.value} picks fields of ${type?.name}; spread a fragment`);
          },
        }),
      );
    }
    expect(wrong).toEqual([]);
  });
});
