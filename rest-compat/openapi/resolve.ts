import type { Schema } from './document.ts';

export type Schemas = Record<string, Schema>;

/** A schema with its reference followed and its parts put together: all members in one place, one level deep. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`${schema.$ref} is not there.`);
    return resolved(target, schemas);
  }
  if (!schema.allOf) return schema;
  const { allOf, ...own } = schema;
  const parts = [...allOf.map((part) => resolved(part, schemas)), own];
  const required = parts.flatMap((part) => part.required ?? []);
  return {
    ...Object.assign({}, ...parts.toReversed().map(({ nullable: _nullable, ...part }) => part)),
    ...own,
    ...(required.length > 0 && { required }),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}
