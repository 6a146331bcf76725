import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { GatewayError } from '../../errors/index.ts';
import { type Check, checkOf } from './check.ts';
import { type Constraint, readRule } from './read-rule.ts';

export type ArgumentsCheck = (args: Record<string, unknown>) => void;

/** Throws VALIDATION_FAILED naming every argument or input field that breaks its `@constraint`; null when none has one. */
export function constraintsOf(
  schema: GraphQLSchema,
  args: readonly GraphQLArgument[],
): ArgumentsCheck | null {
  const compile = createCompiler(schema);
  const checks = args.flatMap((argument) => {
    const check = compile(argument.type, readRule(schema, 'constraint', argument));
    return check ? [{ name: argument.name, check }] : [];
  });
  if (checks.length === 0) return null;
  return (values) => {
    const broken: string[] = [];
    let param: string | undefined;
    let reason: string | undefined;
    for (const { name, check } of checks) {
      check(values[name], name, (path, message, ofPath) => {
        param ??= path;
        reason ??= ofPath;
        broken.push(`${path} ${message}`);
      });
    }
    if (param === undefined) return;
    throw new GatewayError('VALIDATION_FAILED', {
      message: broken[0],
      param,
      reason,
      errors: broken.length > 1 ? broken : undefined,
    });
  };
}

/** Compiles input types to checks, each input object once, so that a call only visits what has a rule. */
function createCompiler(schema: GraphQLSchema) {
  const known = new Map<string, { check: Check | null }>();

  function compile(type: GraphQLInputType, rule: Constraint | null): Check | null {
    if (isNonNullType(type)) return compile(type.ofType, rule);
    if (isListType(type)) {
      return both(rule && checkOf(rule, 'list'), eachItem(compile(type.ofType, rule)));
    }
    if (isInputObjectType(type)) {
      const found = known.get(type.name);
      // A type that contains itself: its check does not exist yet, so it is looked up at each call.
      if (found) return (value, path, report) => found.check?.(value, path, report);
      const entry: { check: Check | null } = { check: null };
      known.set(type.name, entry);
      const fields = Object.values(type.getFields()).flatMap((field) => {
        const rule = readRule(schema, 'constraint', field);
        const check = both(rule?.notNull ? refuseNull : null, compile(field.type, rule));
        return check ? [{ name: field.name, check }] : [];
      });
      entry.check = fields.length > 0 ? members(fields) : null;
      return entry.check;
    }
    return rule && checkOf(rule, 'value');
  }

  return compile;
}

const refuseNull: Check = (value, path, report) => {
  if (value === null) report(path, 'must not be null; leave it out to keep it.', 'invalid_type');
};

const both = (first: Check | null, second: Check | null): Check | null =>
  first && second
    ? (value, path, report) => {
        first(value, path, report);
        second(value, path, report);
      }
    : (first ?? second);

const eachItem = (check: Check | null): Check | null =>
  check &&
  ((value, path, report) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`, report);
  });

const members =
  (fields: { name: string; check: Check }[]): Check =>
  (value, path, report) => {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, check } of fields) {
      check((value as Record<string, unknown>)[name], `${path}.${name}`, report);
    }
  };
