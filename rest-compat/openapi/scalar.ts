import { type GraphQLLeafType, isEnumType } from 'graphql';
import { configForOpenApi } from '../../src/routing-config/json-schema.ts';
import type { Components } from './components.ts';
import type { Schema } from './document.ts';

const scalars: Record<string, Schema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Count: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  UnixTime: { type: 'integer', format: 'int64' },
  DateTime: { type: 'string', format: 'date-time' },
};

/** A scalar or enum of the schema; one without a JSON type of its own, such as JSON, may be anything. */
export function leafSchema(components: Components, type: GraphQLLeafType): Schema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (type.name !== 'GatewayConfig') return { ...scalars[type.name] };
  return components.schema(type.name, `scalar ${type.name}`, () => ({
    ...configForOpenApi,
    example: { strategy: { mode: 'single' }, targets: [{ provider: '@openai-main' }] },
  }));
}
