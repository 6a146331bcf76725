import { z } from 'zod';
import type { GuardrailCheck } from './check.ts';

/** The part of JSON Schema that parameters are described by; `secret` marks what is kept as a credential. */
export type ParameterSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly secret?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly additionalProperties?: boolean | ParameterSchema;
  readonly items?: ParameterSchema;
  readonly anyOf?: readonly ParameterSchema[];
  readonly oneOf?: readonly ParameterSchema[];
  readonly allOf?: readonly ParameterSchema[];
};

const known = new WeakMap<GuardrailCheck, ParameterSchema>();

/** What a check takes, as JSON Schema (draft 2020-12) of what people write. */
export function parameterSchemaOf(check: GuardrailCheck): ParameterSchema {
  const found = known.get(check);
  if (found) return found;
  const schema = z.toJSONSchema(check.parameters, {
    io: 'input',
    unrepresentable: 'any',
  }) as ParameterSchema;
  known.set(check, schema);
  return schema;
}

/** A schema and the alternatives in it. */
export const formsOf = (schema: ParameterSchema): readonly ParameterSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(formsOf),
];
