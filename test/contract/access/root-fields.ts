import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  type OperationTypeNode,
} from 'graphql';
import { readRule } from '../../../src/graph/rules/read-rule.ts';

/** One field of Query, Mutation or Subscription, with what its SDL says of its callers. */
export type RootField = {
  /** `Mutation.createConfig` */
  coordinate: string;
  operation: OperationTypeNode;
  field: GraphQLField<unknown, unknown>;
  /** Needs no credential at all. */
  isPublic: boolean;
  /** Null: any valid credential is enough. */
  anyOf: readonly string[] | null;
  /** Everything plain in its answer that needs no further scope; empty for a field that is plain itself. */
  selection: string;
  /** Name of the resource that an argument `id` names, e.g. `api-key`. */
  resource: string;
};

export const rootFields = (schema: GraphQLSchema, operation: OperationTypeNode): RootField[] =>
  Object.values(schema.getRootType(operation)?.getFields() ?? {}).map((field) => ({
    coordinate: `${schema.getRootType(operation)?.name}.${field.name}`,
    operation,
    field,
    isPublic: readRule(schema, 'public', field) !== null,
    anyOf: readRule(schema, 'access', field)?.anyOf ?? null,
    selection: selectionOf(schema, field),
    resource: resourceOf(schema, field),
  }));

/** `LogPage` -> `log-page`, `api_key` -> `api-key` */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase();

/** What an argument `id` names, by field, where the answer is something else. */
const namedBy: Record<string, string> = {
  mcpIntegrationCapabilities: 'mcp-integration',
  mcpIntegrationWorkspaces: 'mcp-integration',
  mcpServerCapabilities: 'mcp-server',
  mcpServerConnections: 'mcp-server',
  mcpServerUserAccess: 'mcp-server',
};

const resourceOf = (schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): string => {
  const named = namedBy[field.name];
  if (named) return named;
  const [audited] = readRule(schema, 'audit', field)?.action.split('.') ?? [];
  return kebabCase(audited ?? getNamedType(field.type).name);
};

/** The field as a document with the arguments that `values` has, as variables of their names. */
export function documentOf({ operation, field, selection }: RootField, values: object): string {
  const given = field.args.filter(({ name }) => name in values);
  const listed = (items: string[]) => (items.length > 0 ? `(${items.join(', ')})` : '');
  const declared = listed(given.map(({ name, type }) => `$${name}: ${type}`));
  return `${operation} ${declared} { ${field.name}${listed(given.map(({ name }) => `${name}: $${name}`))}${selection} }`;
}

function selectionOf(schema: GraphQLSchema, { type }: RootField['field']): string {
  const named = getNamedType(type);
  return isObjectType(named) ? ` { ${plainFields(schema, named, 3)} }` : '';
}

/** Every field that takes no argument and needs no scope of its own, down to `depth` levels. */
function plainFields(schema: GraphQLSchema, type: GraphQLObjectType, depth: number): string {
  const selected = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    if (field.args.length > 0 || readRule(schema, 'access', field)) return [];
    if (isLeafType(named)) return [field.name];
    if (!isObjectType(named) || named === type || depth === 1) return [];
    return [`${field.name} { ${plainFields(schema, named, depth - 1)} }`];
  });
  return ['__typename', ...selected].join(' ');
}
