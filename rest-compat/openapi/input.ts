import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNonNull,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type Constraint, readRule } from '../../src/graph/index.ts';
import { snakeCase } from '../compile/names.ts';
import { annotated, type Components, nullable } from './components.ts';
import type { Schema } from './document.ts';
import { leafSchema } from './scalar.ts';

type Present = Exclude<GraphQLInputType, GraphQLNonNull<never>>;

/** What the SDL says where a value goes in: an argument or a member of an input type. */
export type InputElement = Pick<GraphQLArgument | GraphQLInputField, 'astNode' | 'defaultValue'>;

/** The schema of what a caller sends as this type, with the bounds that the element states. */
export function inputSchema(
  schema: GraphQLSchema,
  components: Components,
  type: GraphQLInputType,
  element?: InputElement,
): Schema {
  return typeSchema(type, (element && readRule(schema, 'constraint', element)) ?? {});

  function typeSchema(type: GraphQLInputType, rule: Constraint): Schema {
    if (isNonNullType(type)) return present(type.ofType, rule);
    return rule.notNull ? present(type, rule) : nullable(present(type, rule));
  }

  function present(type: Present, rule: Constraint): Schema {
    if (isListType(type)) {
      return { type: 'array', items: typeSchema(type.ofType, rule), ...listBounds(rule) };
    }
    if (isInputObjectType(type)) {
      return components.schema(type.name, `input ${type.name}`, () => objectSchema(type));
    }
    return { ...leafSchema(components, type), ...valueBounds(rule) };
  }

  function objectSchema(type: GraphQLInputObjectType): Schema {
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    return {
      type: 'object',
      ...described(type.astNode?.description?.value),
      ...(required.length > 0 && { required: required.map(({ name }) => snakeCase(name)) }),
      properties: Object.fromEntries(fields.map((field) => [snakeCase(field.name), memberSchema(field)])),
      additionalProperties: false,
    };
  }

  function memberSchema(field: GraphQLInputField): Schema {
    const isSecret = readRule(schema, 'secret', field) !== null;
    return annotated(inputSchema(schema, components, field.type, field), {
      ...described(field.astNode?.description?.value),
      ...defaultOf(field),
      ...(isSecret && { writeOnly: true }),
    });
  }
}

/** The description as a keyword, where there is one. */
export const described = (description: string | undefined): Pick<Schema, 'description'> =>
  description === undefined ? {} : { description };

/** The default as a keyword, where there is one. */
export const defaultOf = ({ defaultValue }: Pick<InputElement, 'defaultValue'>): Pick<Schema, 'default'> =>
  defaultValue === undefined ? {} : { default: defaultValue };

const formats = { EMAIL: 'email', URI: 'uri', UUID: 'uuid', DATE_TIME: 'date-time' } as const;

const valueBounds = ({ minLength, maxLength, pattern, format, min, max }: Constraint): Schema => ({
  ...(minLength !== undefined && { minLength }),
  ...(maxLength !== undefined && { maxLength }),
  ...(pattern !== undefined && (alternatives(pattern) ?? { pattern })),
  ...(format !== undefined && { format: formats[format] }),
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
});

/** `^(one|the-other)$`: what GraphQL cannot name as an enum, since its names have no hyphens. */
function alternatives(pattern: string): Pick<Schema, 'enum'> | null {
  const words = /^\^\(([\w|-]+)\)\$$/.exec(pattern)?.[1];
  return words === undefined ? null : { enum: words.split('|') };
}

const listBounds = ({ minItems, maxItems }: Constraint): Schema => ({
  ...(minItems !== undefined && { minItems }),
  ...(maxItems !== undefined && { maxItems }),
});
