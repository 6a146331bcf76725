import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
} from 'graphql';
import { readRule } from '../../src/graph/index.ts';
import type { RestOperation } from '../compile/operation.ts';
import { annotated, type Components, nullable } from './components.ts';
import type { Schema } from './document.ts';
import { described } from './input.ts';
import { leafSchema } from './scalar.ts';

/** The schema of an operation's answer: its selection under REST names, each fragment a component, inside the envelope. */
export function answerSchema(
  schema: GraphQLSchema,
  components: Components,
  { label, document, root, rest }: RestOperation,
  rootField: GraphQLField<unknown, unknown>,
): Schema {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  return enveloped(rest.envelope);

  /** Walks the envelope's template: `"$"` is the value, `"$.data"` its member, all else stands for itself. */
  function enveloped(template: unknown): Schema {
    if (template === undefined || template === '$') return rootSchema();
    if (typeof template === 'string' && template.startsWith('$.')) return memberOfRoot(template.slice(2));
    if (typeof template !== 'object' || template === null || Array.isArray(template)) {
      return { type: typeof template as 'string' | 'boolean' | 'number', enum: [template] };
    }
    return objectOf(Object.entries(template).map(([name, value]) => [name, enveloped(value)]));
  }

  function memberOfRoot(name: string): Schema {
    const value = rootSchema();
    const member = value.properties?.[name];
    if (!member) throw new Error(`${label}: the envelope shows $.${name}, which is not selected by itself.`);
    return member;
  }

  /** The root field is null in the graph only where it failed, and then REST answers the error in its place. */
  function rootSchema(): Schema {
    return present(getNullableType(rootField.type), root.selectionSet);
  }

  function fieldSchema(field: GraphQLField<unknown, unknown>, node: FieldNode): Schema {
    const constant = readRule(schema, 'constant', field);
    if (constant) return { type: 'string', enum: [constant.value] };
    return typeSchema(field.type, node.selectionSet);
  }

  function typeSchema(type: GraphQLOutputType, selection: SelectionSetNode | undefined): Schema {
    return isNonNullType(type) ? present(type.ofType, selection) : nullable(present(type, selection));
  }

  function present(type: GraphQLOutputType, selection: SelectionSetNode | undefined): Schema {
    if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType, selection) };
    if (isLeafType(type)) return leafSchema(components, type);
    if (!isObjectType(type) || !selection) throw new Error(`${label}: ${String(type)} cannot be described.`);
    const parts: Schema[] = [];
    const members: [string, Schema][] = [];
    const optional = new Set<string>();
    for (const node of selection.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) throw new Error(`${label}: use a named fragment.`);
      if (node.kind === Kind.FRAGMENT_SPREAD) parts.push(fragmentSchema(node.name.value));
      else {
        const field = type.getFields()[node.name.value];
        if (!field) throw new Error(`${label}: ${type.name}.${node.name.value} cannot be described.`);
        const description = described(field.astNode?.description?.value);
        const name = node.alias?.value ?? node.name.value;
        members.push([name, annotated(fieldSchema(field, node), description)]);
        // `@include` leaves it to the caller.
        if (node.directives?.length) optional.add(name);
      }
    }
    if (members.length > 0) parts.push(objectOf(members, optional));
    return parts.length === 1 && parts[0] ? parts[0] : { allOf: parts };
  }

  function fragmentSchema(name: string): Schema {
    const fragment = fragments.get(name);
    if (!fragment) throw new Error(`${label}: the fragment ${name} is not there.`);
    const type = schema.getType(fragment.typeCondition.name.value);
    return components.schema(name, print(fragment), () =>
      annotated(
        present(type as GraphQLOutputType, fragment.selectionSet),
        described(fragment.description?.value ?? type?.astNode?.description?.value),
      ),
    );
  }
}

function objectOf(members: [string, Schema][], optional: ReadonlySet<string> = new Set()): Schema {
  const required = members.map(([name]) => name).filter((name) => !optional.has(name));
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members),
  };
}
