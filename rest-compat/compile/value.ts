import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { GatewayError } from '../../src/errors/index.ts';
import { isNestedDeeperThan, maxDepth, unstorableName } from '../../src/lib/storable.ts';
import { bySpelling, snakeCase } from './names.ts';

/** Checks a JSON value and gives it the names of the schema; `path` is where it stands, as the caller spelled it. */
export type Convert = (value: unknown, path: string) => unknown;

/** `reason`: the exact code of the mistake, where answers have one. */
export const invalid = (path: string, problem: string, reason = 'invalid_value'): GatewayError =>
  new GatewayError('VALIDATION_FAILED', {
    message: `${path || 'The body'} ${problem}`,
    param: path || undefined,
    reason,
  });

const wrongType = (path: string, problem: string): GatewayError => invalid(path, problem, 'invalid_type');
export const missing = (path: string): GatewayError =>
  invalid(path, 'is required.', 'missing_required_parameter');

const known = new WeakMap<object, { convert: Convert }>();

/** Compiles an input type once to the function that converts JSON values of it. */
export function converterOf(type: GraphQLInputType): Convert {
  if (isNonNullType(type)) {
    const convert = converterOf(type.ofType);
    return (value, path) => {
      if (value === null) throw wrongType(path, 'must not be null.');
      return convert(value, path);
    };
  }
  if (isListType(type)) return nullable(listConverter(converterOf(type.ofType)));
  if (!isInputObjectType(type)) return anyJson.has(type.name) ? storable : nullable(leafConverter(type));
  const found = known.get(type);
  // A type inside itself: its converter does not exist yet, so it is looked up when called.
  if (found) return (value, path) => found.convert(value, path);
  const entry = { convert: (value: unknown) => value } as { convert: Convert };
  known.set(type, entry);
  entry.convert = nullable(
    objectConverter(
      type.name,
      Object.values(type.getFields()).map((field) => ({
        name: field.name,
        required: isNonNullType(field.type) && field.defaultValue === undefined,
        convert: converterOf(field.type),
      })),
    ),
  );
  return entry.convert;
}

/** Scalars of any JSON value, which pass as they are. */
const anyJson: ReadonlySet<string> = new Set(['JSON', 'GatewayConfig']);

const storable: Convert = (value, path) => {
  if (isNestedDeeperThan(maxDepth, value)) throw invalid(path, `is nested more than ${maxDepth} levels.`);
  const name = unstorableName(value);
  if (name !== null) throw invalid(path, `has a member ${JSON.stringify(name)}, which cannot be stored.`);
  return value;
};

const nullable =
  (convert: Convert): Convert =>
  (value, path) =>
    value === null ? null : convert(value, path);

const listConverter =
  (convert: Convert): Convert =>
  (value, path) => {
    if (!Array.isArray(value)) throw wrongType(path, 'must be an array.');
    return value.map((item, index) => convert(item, `${path}[${index}]`));
  };

function objectConverter(
  typeName: string,
  fields: { name: string; required: boolean; convert: Convert }[],
): Convert {
  const spelled = bySpelling(typeName, fields);
  const required = fields.filter((field) => field.required);
  return (value, path) => {
    if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(path, 'must be an object.');
    const converted: Record<string, unknown> = {};
    for (const [member, content] of Object.entries(value as object)) {
      const memberPath = path ? `${path}.${member}` : member;
      const field = spelled.get(member);
      if (!field) throw unknownParameter(memberPath);
      if (Object.hasOwn(converted, field.name)) throw invalid(memberPath, 'is given in two spellings.');
      converted[field.name] = field.convert(content, memberPath);
    }
    for (const { name } of required) {
      if (!Object.hasOwn(converted, name))
        throw missing(path ? `${path}.${snakeCase(name)}` : snakeCase(name));
    }
    return converted;
  };
}

export const unknownParameter = (param: string): GatewayError =>
  new GatewayError('UNKNOWN_PARAMETER', { message: `Unknown parameter: ${param}`, param });

const isInt32 = (value: unknown) => Number.isInteger(value) && (value as number) === ((value as number) | 0);

const builtIn: Record<string, { holds: (value: unknown) => boolean; noun: string }> = {
  String: { holds: (value) => typeof value === 'string', noun: 'a string' },
  ID: { holds: (value) => typeof value === 'string' || Number.isSafeInteger(value), noun: 'a string' },
  Boolean: { holds: (value) => typeof value === 'boolean', noun: 'true or false' },
  Int: { holds: isInt32, noun: 'an integer' },
  Float: { holds: (value) => typeof value === 'number' && Number.isFinite(value), noun: 'a number' },
};

function leafConverter(type: GraphQLLeafType): Convert {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return (value, path) => {
      if (names.includes(value as string)) return value;
      throw invalid(path, `must be one of ${names.join(', ')}.`);
    };
  }
  const scalar = builtIn[type.name];
  if (scalar) {
    return (value, path) => {
      if (!scalar.holds(value)) throw wrongType(path, `must be ${scalar.noun}.`);
      return value;
    };
  }
  return (value, path) => {
    try {
      type.parseValue(value);
    } catch (error) {
      if (error instanceof GraphQLError) throw invalid(path, `is not valid. ${error.message}`);
      throw error;
    }
    return value;
  };
}
