import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { createPageSizes, type Variables, withDefaults } from './page-size.ts';

/** The cost of a root field, which reads from the store. Every other field only looks at what was read. */
const ROOT_COST = 10;

export type Measure = {
  /** Levels of nested fields. */
  depth: number;
  fields: number;
  aliases: number;
  /** How many of the aliases stand on `__schema`, or inside what it or `__type` selects. */
  introspectionAliases: number;
  rootFields: number;
  /** The cost: each field counts once for every item of the lists around it. */
  cost: number;
};

type Type = GraphQLNamedType | undefined;

const nothing: Measure = { depth: 0, fields: 0, aliases: 0, introspectionAliases: 0, rootFields: 0, cost: 0 };

/** Selections inside selections, fragments included, that are followed: what nests more is too deep by any limit. */
const MAX_NESTING = 250;
const bottomless: Measure = { ...nothing, depth: Number.POSITIVE_INFINITY };

/**
 * Measures operations as if every fragment were written where it is spread. Each fragment is visited once, so that the
 * work grows with the text and not with what it expands to; what the schema does not know counts as a plain field.
 */
export function createMeasure(schema: GraphQLSchema) {
  const pageSizeOf = createPageSizes(schema);

  return (document: DocumentNode, operation: OperationDefinitionNode, given: Variables): Measure => {
    const variables = withDefaults(operation, given);
    const fragments = fragmentsOf(document);
    const measured = new Map<string, Measure>();

    let nesting = 0;

    function ofSet(set: SelectionSetNode | undefined, parent: Type): Measure {
      if (!set) return nothing;
      if (nesting === MAX_NESTING) return bottomless;
      nesting++;
      let measure = nothing;
      for (const selection of set.selections) measure = beside(measure, ofSelection(selection, parent));
      nesting--;
      return measure;
    }

    function ofSelection(selection: SelectionNode, parent: Type): Measure {
      if (selection.kind === Kind.FIELD) return ofField(selection, parent);
      if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
      const condition = selection.typeCondition?.name.value;
      return ofSet(selection.selectionSet, condition === undefined ? parent : schema.getType(condition));
    }

    function ofFragment(name: string): Measure {
      const known = measured.get(name);
      if (known) return known;
      // Stops at a fragment that contains itself, which another rule refuses.
      measured.set(name, nothing);
      const fragment = fragments.get(name);
      const measure = fragment
        ? ofSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
        : nothing;
      measured.set(name, measure);
      return measure;
    }

    function ofField(node: FieldNode, parent: Type): Measure {
      const field =
        isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
      const below = ofSet(node.selectionSet, field && getNamedType(field.type));
      const aliases = (node.alias ? 1 : 0) + below.aliases;
      const times = field && parent ? pageSizeOf(parent.name, field)(node.arguments ?? [], variables) : 1;
      return {
        depth: 1 + below.depth,
        fields: 1 + below.fields,
        aliases,
        // `__type` answers one type, which is small; tools ask for several under aliases.
        introspectionAliases:
          (node.name.value === '__schema' ? aliases : 0) +
          (node.name.value === '__type' ? below.aliases : 0) +
          below.introspectionAliases,
        rootFields: 1,
        cost: 1 + times * below.cost,
      };
    }

    const measure = ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
    return { ...measure, cost: measure.cost + measure.rootFields * (ROOT_COST - 1) };
  };
}

const beside = (one: Measure, other: Measure): Measure => ({
  depth: Math.max(one.depth, other.depth),
  fields: one.fields + other.fields,
  aliases: one.aliases + other.aliases,
  introspectionAliases: one.introspectionAliases + other.introspectionAliases,
  rootFields: one.rootFields + other.rootFields,
  cost: one.cost + other.cost,
});

const fragmentsOf = ({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> =>
  new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
