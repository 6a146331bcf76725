import { type GraphQLLeafType, isEnumType } from 'graphql';
import type { Schema } from './document.ts';

const scalars: Record<string, Schema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Count: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
};

/** A scalar or enum of the schema; one without a JSON type of its own, such as JSON, may be anything. */
export const leafSchema = (type: GraphQLLeafType): Schema =>
  isEnumType(type)
    ? { type: 'string', enum: type.getValues().map(({ name }) => name) }
    : { ...scalars[type.name] };
