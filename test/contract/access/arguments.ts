import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type Constraint, readRule } from '../../../src/graph/rules/read-rule.ts';
import { uuid } from '../../../src/lib/ids.ts';
import { kebabCase, type RootField } from './root-fields.ts';

export type Values = Record<string, unknown>;

/** What the arguments of one call are made of. */
export type Material = {
  /** Values by coordinate, e.g. `Mutation.insertLogs.input`, `CreateConfigInput.config`, for what no type tells. */
  hints: Values;
  /** Whether arguments that may name a workspace do. */
  namesWorkspace: boolean;
};

type Item = GraphQLArgument | GraphQLInputField;

/** Optional members that are given all the same, so that an update has something to change. */
const alwaysGiven = ['name', 'description', 'role'];

/**
 * Arguments that the schema takes. Ids are placeholders: `<own>` for what an argument `id` names, `<integration>` for
 * another resource, `<member.userId>` for what a document says. Throws, saying what to add and where, when it cannot
 * think of a value.
 */
export function argumentsOf(schema: GraphQLSchema, root: RootField, material: Material): Values {
  const isGiven = ({ name, type, defaultValue }: Item, coordinate: string) =>
    coordinate in material.hints ||
    (isNonNullType(type) && defaultValue === undefined) ||
    (alwaysGiven.includes(name) && !coordinate.startsWith(root.coordinate)) ||
    (material.namesWorkspace && name === 'workspaceId');

  function object(items: readonly Item[], parent: string): Values {
    const given = items.filter((item) => isGiven(item, `${parent}.${item.name}`));
    return Object.fromEntries(
      given.map((item) => [
        item.name,
        made(item.type, readRule(schema, 'constraint', item), item.name, `${parent}.${item.name}`),
      ]),
    );
  }

  function made(type: GraphQLInputType, rule: Constraint | null, name: string, coordinate: string): unknown {
    if (coordinate in material.hints) return material.hints[coordinate];
    const nullable = getNullableType(type);
    if (isListType(nullable)) return [made(nullable.ofType, rule, singular(name), coordinate)];
    if (isInputObjectType(nullable)) return object(Object.values(nullable.getFields()), nullable.name);
    if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
    const isId = getNamedType(type).name === 'ID';
    const value = isId ? idOf(name, coordinate) : plain(getNamedType(type).name, rule);
    if (value !== undefined) return value;
    throw new Error(
      `No value is known for ${coordinate}: ${type}. Add one to hints in test/contract/access/hints.ts.`,
    );
  }

  const idOf = (name: string, coordinate: string) => {
    if (coordinate === `${root.coordinate}.id`) return '<own>';
    return name === 'id' ? undefined : `<${kebabCase(name.replace(/Id$/, ''))}>`;
  };

  return object(root.field.args, root.coordinate);
}

const singular = (name: string): string => name.replace(/s$/, '');

function plain(type: string, rule: Constraint | null): unknown {
  if (type === 'String') return textFor(rule);
  if (type === 'Int' || type === 'Float') return rule?.min ?? 1;
  if (type === 'Boolean') return true;
  if (type === 'DateTime') return '2040-01-01T00:00:00.000Z';
  return undefined;
}

const formats: Record<NonNullable<Constraint['format']>, () => string> = {
  EMAIL: () => `${uuid()}@example.com`,
  URI: () => 'https://gateway.example/v1',
  UUID: uuid,
  DATE_TIME: () => '2040-01-01T00:00:00.000Z',
};

/** A text within its bounds that nothing has yet; undefined for a pattern that none of ours fits. */
function textFor(rule: Constraint | null): string | undefined {
  if (rule?.format) return formats[rule.format]();
  const pattern = new RegExp(rule?.pattern ?? '', 'u');
  const alternatives = /^\^\(([\w|-]+)\)\$$/.exec(rule?.pattern ?? '')?.[1]?.split('|') ?? [];
  const candidates = [...alternatives, `new-${uuid()}`, uuid().slice(-12)];
  const fits = (text: string) => pattern.test(text) && text.length <= (rule?.maxLength ?? text.length);
  return candidates.find(fits);
}
