import {
  type ArgumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { readRule } from '../../rules/read-rule.ts';

/** Items that a list is taken to have when neither an argument nor the schema says how many. */
const UNPAGED_ITEMS = 20;

/** Arguments that say how many items are asked for, by a number or by naming them. */
const sizeArguments = ['pageSize', 'limit', 'first', 'last', 'representations'];

export type Field = GraphQLField<unknown, unknown>;
export type Variables = Readonly<Record<string, unknown>>;

/** How often the selection below one use of a field may be answered. */
export type PageSize = (args: readonly ArgumentNode[], variables: Variables) => number;

/** Reads from the schema how each field's page size is said. */
export function createPageSizes(schema: GraphQLSchema): (parent: string, field: Field) => PageSize {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  // Inside a page, the list is the page itself and does not count a second time.
  const pages = new Set(
    fields.filter((field) => sizeArgument(field) && !isList(field)).map((field) => answered(field)),
  );
  const known = new Map<Field, PageSize>();
  return (parent, field) => {
    const found = known.get(field);
    if (found) return found;
    const isMany = pages.has(answered(field)) || (isList(field) && !pages.has(parent));
    const size = isMany ? pageSize(schema, field) : once;
    known.set(field, size);
    return size;
  };
}

const once: PageSize = () => 1;
const isList = (field: Field): boolean => isListType(getNullableType(field.type));
const answered = (field: Field): string => getNamedType(field.type).name;
const sizeArgument = (field: Field) => field.args.find(({ name }) => sizeArguments.includes(name));

function pageSize(schema: GraphQLSchema, field: Field): PageSize {
  const argument = sizeArgument(field);
  if (!argument) {
    const { assumedSize = UNPAGED_ITEMS } = readRule(schema, 'listSize', field) ?? {};
    return () => assumedSize;
  }
  const { max = Number.MAX_SAFE_INTEGER } = readRule(schema, 'constraint', argument) ?? {};
  return (args, variables) => {
    const given = args.find(({ name }) => name.value === argument.name)?.value;
    const value = (given && readValue(given, variables)) ?? argument.defaultValue ?? UNPAGED_ITEMS;
    // A value that is no number is refused later; until then it counts as the largest allowed size.
    return Math.min(itemsOf(value), max);
  };
}

/** The variables as the operation will have them: with the defaults that it gives. */
export function withDefaults(operation: OperationDefinitionNode, variables: Variables): Variables {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, readValue(defaultValue, {})] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

function readValue(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  if (node.kind === Kind.INT) return Number(node.value);
  return node.kind === Kind.LIST ? node.values : null;
}

function itemsOf(value: unknown): number {
  if (Array.isArray(value)) return Math.max(1, value.length);
  return typeof value === 'number' ? Math.max(1, value) : Number.MAX_SAFE_INTEGER;
}
