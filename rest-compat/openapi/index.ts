import type { GraphQLSchema } from 'graphql';
import type { RestOperation } from '../operation.ts';
import { bases } from '../rest-directive.ts';
import { createComponents } from './components.ts';
import type { Method, OpenApi, PathItem } from './document.ts';
import { errorResponses, errorSchema } from './errors.ts';
import { described } from './input.ts';
import { describeOperation, resourceOf } from './operation.ts';
import { type ServedBases, securitySchemes } from './surface.ts';
import { inWords, typeName } from './words.ts';

export type { OpenApi } from './document.ts';

const description = `The administration of the gateway over REST. Every operation is a GraphQL document on the graph at \`/graphql\`.

- Members of bodies and query parameters are in snake_case; the schema's camelCase spelling is taken as well. Unknown ones are refused by name.
- Bodies are JSON in UTF-8. \`HEAD\` works wherever \`GET\` does; a method that a path does not take answers 405 with \`Allow\`.
- Every answer carries \`x-request-id\`: the caller's own when it sent one.
- Inference (\`/v1/chat/completions\` and every other provider path) is the providers' own API and is not described here.`;

/** Describes the operations on the bases that are served as one OpenAPI 3.0.0 document. */
export function describeRest(
  schema: GraphQLSchema,
  operations: RestOperation[],
  served: ServedBases,
): OpenApi {
  const components = createComponents();
  components.schema('Error', 'the error envelope', errorSchema);
  const paths: Record<string, PathItem> = {};
  const resources = new Set<string>();
  for (const operation of operations) {
    const { method, path, on } = operation.rest;
    for (const base of bases) {
      const surface = on.includes(base) ? served[base] : undefined;
      if (!surface) continue;
      resources.add(resourceOf(operation));
      const entry = describeOperation(schema, components, operation, base);
      const full = surface.prefix + path;
      paths[full] = { ...paths[full], [method.toLowerCase() as Method]: entry };
    }
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Sluice', version: '3.0.0', description, license: { name: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...resources].sort().map((resource) => ({
      name: inWords(resource),
      ...described(schema.getType(typeName(resource))?.astNode?.description?.value),
    })),
    paths: sorted(paths),
    components: {
      schemas: components.all(),
      responses: errorResponses(),
      headers: {
        'x-request-id': {
          description: 'Names the request in logs and the audit trail.',
          schema: { type: 'string' },
        },
      },
      parameters: {
        'x-request-id': {
          name: 'x-request-id',
          in: 'header',
          description: 'A name of the caller for the request; one is made when it is absent or not harmless.',
          schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
        },
      },
      securitySchemes: securitySchemes(served),
    },
  };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
