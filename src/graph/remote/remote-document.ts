import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isScalarType,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  visit,
} from 'graphql';
import { isRuleDirective, keysOf } from '../composition/subgraph-document.ts';

/** What a remote subgraph may build on, and must not touch. */
export type Ground = {
  schema: GraphQLSchema;
  /** True for entities that other subgraphs load by their id too; an outage of those is no outage of this remote. */
  isForeignEntity(type: string): boolean;
};

/** Why a remote's SDL is not taken into the graph. */
export class RefusedRemote extends Error {}

const refuse = (reason: string): never => {
  throw new RefusedRemote(reason);
};

// Left out on purpose: what would take fields over (@override, @provides, @interfaceObject), hide them (@inaccessible),
// rename things, or promise an authorisation that nobody here enforces (@authenticated, @requiresScopes, @policy).
const allowed = new Set(['link', 'key', 'shareable', 'external', 'requires', 'extends', 'tag']);
const builtIn = new Set(['deprecated', 'specifiedBy', 'oneOf']);
const roots = new Set(['Query', 'Mutation']);

const maxTokens = 100_000;

/**
 * Prepares the SDL of a remote for the graph: checked, and nullable wherever its outage would take the data of others
 * along.
 */
export function remoteDocument(sdl: string, ground: Ground): DocumentNode {
  const parsed = parse(sdl, { maxTokens });
  const own = new Set(
    parsed.definitions.flatMap((node) => (node.kind === Kind.DIRECTIVE_DEFINITION ? [node.name.value] : [])),
  );
  for (const name of own) if (isRuleDirective(name)) refuse(`it defines @${name}`);
  const document = visit(parsed, {
    DirectiveDefinition: () => null,
    Directive: (node) => keptDirective(node, own),
    OperationTypeDefinition: ({ type }) => {
      if (!roots.has(type.name.value)) refuse(`its root type is ${type.name.value}`);
    },
  });
  const definitions = document.definitions.filter((node) => !isMachinery(node));
  for (const node of definitions) refuseTaking(node, ground);
  return { kind: Kind.DOCUMENT, definitions: definitions.map((node) => isolated(node, ground)) };
}

/** Undefined keeps a directive, null drops it: one of the remote's own means nothing here. */
function keptDirective(node: DirectiveNode, own: ReadonlySet<string>): null | undefined {
  const name = node.name.value;
  if (name === 'link') refuseRenames(node);
  if (name === 'tag') return null;
  if (allowed.has(name) || builtIn.has(name)) return undefined;
  if (isRuleDirective(name) || !own.has(name) || /__/.test(name)) refuse(`it uses @${name}`);
  return null;
}

function refuseRenames(link: DirectiveNode): void {
  visit(link, {
    Argument: ({ name }) => {
      if (name.value === 'as') refuse('it links a specification under another name');
    },
    ObjectField: ({ name }) => {
      if (name.value === 'as') refuse('it imports a directive under another name');
    },
  });
}

/** Some libraries print federation's own types into their SDL. */
const isMachinery = (node: DefinitionNode): boolean =>
  'name' in node && node.name !== undefined && /^_|__/.test(node.name.value);

const isObject = (node: DefinitionNode): node is ObjectTypeDefinitionNode | ObjectTypeExtensionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION;

function refuseTaking(node: DefinitionNode, { schema, isForeignEntity }: Ground): void {
  const name = 'name' in node ? node.name?.value : undefined;
  if (name === undefined || roots.has(name)) return;
  if (name === 'Subscription') refuse('it has subscriptions');
  const ours = schema.getType(name);
  // Changes of enums and inputs are found when everything is composed.
  if (!ours || isScalarType(ours) || isEnumType(ours) || isInputObjectType(ours)) return;
  if (!isObject(node) || !isForeignEntity(name)) refuse(`it declares ${name}, which is the gateway's`);
  else if (keysOf(node).some((key) => !isIdKey(key))) refuse(`it gives ${name} another key than "id"`);
}

const isIdKey = ({ arguments: args = [] }: ConstDirectiveNode): boolean =>
  args.some(({ value }) => value.kind === Kind.STRING && value.value.trim() === 'id');

function isolated(node: DefinitionNode, { isForeignEntity }: Ground): DefinitionNode {
  if (!isObject(node)) return node;
  const name = node.name.value;
  if (!roots.has(name) && !isForeignEntity(name)) return node;
  const keys = new Set(keysOf(node).flatMap(keyFields));
  const fields = node.fields
    ?.filter((field) => !(name === 'Query' && field.name.value.startsWith('_')))
    .map((field) => (keys.has(field.name.value) || isExternal(field) ? field : nullable(field)));
  return { ...node, ...(fields && { fields }) };
}

const keyFields = ({ arguments: args = [] }: ConstDirectiveNode): string[] =>
  args.flatMap(({ value }) => (value.kind === Kind.STRING ? (value.value.match(/\w+/g) ?? []) : []));

const isExternal = ({ directives = [] }: FieldDefinitionNode): boolean =>
  directives.some(({ name }) => name.value === 'external');

const nullable = (field: FieldDefinitionNode): FieldDefinitionNode =>
  field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field;
