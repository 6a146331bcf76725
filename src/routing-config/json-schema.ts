import { z } from 'zod';
import { configNode } from './schema.ts';

/**
 * A gateway config as JSON Schema (draft 2020-12), in its snake_case spelling, for editors. Rules that span several keys are
 * no part of it: only `parseSavedConfig` knows them.
 */
export const configJsonSchema: Record<string, unknown> = z.toJSONSchema(configNode, {
  io: 'input',
  unrepresentable: 'any',
});

/**
 * The same as the component `GatewayConfig` of OpenAPI 3.0. It excludes no other keys, since they may also be in camelCase,
 * and a value that may be any JSON is left open there.
 */
export const configForOpenApi: Record<string, unknown> = openApiOf(
  z.toJSONSchema(configNode, { io: 'input', unrepresentable: 'any', target: 'openapi-3.0' }),
);

function openApiOf(schema: object): Record<string, unknown> {
  const left = new Set(['definitions', 'additionalProperties']);
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (left.has(key)) return undefined;
    if (value?.$ref === '#') return { $ref: '#/components/schemas/GatewayConfig' };
    return typeof value?.$ref === 'string' ? {} : value;
  });
}
