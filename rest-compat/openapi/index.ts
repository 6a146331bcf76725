import { type GraphQLSchema, getNamedType } from 'graphql';
import type { RestOperation } from '../compile/operation.ts';
import { bases, type RestBase, type RestDirective } from '../compile/rest-directive.ts';
import type { HandwrittenEndpoint } from '../serve/handwritten/handwritten.ts';
import { createComponents, usedComponents } from './components.ts';
import type { Method, OpenApi, OpenApiOperation, PathItem } from './document.ts';
import {
  errorResponses,
  errorSchema,
  legacyErrorSchema,
  openAiErrorSchema,
  textErrorSchema,
} from './errors.ts';
import { describeHandwritten } from './handwritten.ts';
import { answerHeaders, requestHeaderParameters } from './headers.ts';
import { inferenceErrorSchema, inferencePaths, inferenceTag, messagesErrorSchema } from './inference.ts';
import { described } from './input.ts';
import { mcpOauthPaths } from './oauth2/mcp-clients.ts';
import { oauth2Paths, oauth2Tag } from './oauth2/service-accounts.ts';
import { describeOperation, resourceOf, rootFieldOf } from './operation.ts';
import { inWords, typeOfFile } from './readable-names.ts';
import { type ServedBases, securitySchemes } from './surface.ts';

export type { OpenApi } from './document.ts';

const description = `The administration of the gateway over REST. Every operation is a GraphQL document on the graph at \`/graphql\`.

- Members of bodies and query parameters are in snake_case; the schema's camelCase spelling is taken as well. Unknown ones are refused by name.
- A list in a query is written with commas (\`ids=a,b\`), repeated (\`ids=a&ids=b\`) or bracketed (\`ids[]=a\`).
- Bodies are JSON in UTF-8. \`HEAD\` works wherever \`GET\` does; a method that a path does not take answers 405 with \`Allow\`.
- Every answer carries \`x-request-id\`: the caller's own when it sent one.
- Reads carry an \`ETag\`; \`If-Match\` makes an update depend on it, and \`Idempotency-Key\` makes a create safe to repeat.
- All of this is about administration; inference is the provider's own API, in outline below.`;

const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };

/** What is mounted: documents, and the paths that code answers. */
export type Mounted = { operations: RestOperation[]; handwritten: HandwrittenEndpoint[] };

/** Describes everything on the bases that are served as one OpenAPI 3.0.0 document. */
export function describeRest(
  schema: GraphQLSchema,
  { operations, handwritten }: Mounted,
  served: ServedBases,
): OpenApi {
  const components = createComponents();
  components.schema('Error', 'the error envelope', errorSchema);
  components.schema('LegacyError', 'the error envelope of the oldest paths', legacyErrorSchema);
  components.schema('OpenAiError', "the error envelope of OpenAI's paths", openAiErrorSchema);
  components.schema('TextError', 'the error envelope of published prices', textErrorSchema);
  const paths: Record<string, PathItem> = {};
  const add = ({ on, path, method }: Place, describe: (base: RestBase) => OpenApiOperation) => {
    for (const base of bases) {
      const surface = on.includes(base) ? served[base] : undefined;
      if (!surface) continue;
      const full = surface.prefix + path;
      paths[full] = { ...paths[full], [method.toLowerCase() as Method]: describe(base) };
    }
  };
  for (const operation of operations) {
    add(operation.rest, (base) => {
      const isReadable = operations.some(({ rest }) => isReadOf(rest, operation.rest, base));
      return describeOperation(schema, components, operation, { base, isReadable });
    });
  }
  for (const endpoint of handwritten) add(endpoint, (base) => describeHandwritten(endpoint, base));
  const tags = tagsOf(schema, operations, Object.values(paths));
  if (served.V1) {
    const { prefix } = served.V1;
    components.schema('InferenceError', 'the error of inference', inferenceErrorSchema);
    components.schema('MessagesError', 'the error of messages', messagesErrorSchema);
    // Where the gateway has a path of a provider's API itself, its own answer is described.
    for (const [path, item] of Object.entries(inferencePaths()))
      paths[prefix + path] = { ...item, ...paths[prefix + path] };
    tags.unshift(inferenceTag);
  }
  Object.assign(paths, oauth2Paths(), mcpOauthPaths());
  tags.unshift(oauth2Tag);
  return {
    openapi: '3.0.0',
    info: { title: 'Sluice', version: '3.0.0', description, license },
    servers: [{ url: '/' }],
    tags,
    paths: sorted(paths),
    components: usedComponents(paths, {
      schemas: components.all(),
      responses: errorResponses(),
      headers: answerHeaders,
      parameters: requestHeaderParameters,
      securitySchemes: securitySchemes(served),
    }),
  };
}

type Place = Pick<RestDirective, 'method' | 'path' | 'on'>;

const isReadOf = (read: RestDirective, { path }: RestDirective, base: RestBase): boolean =>
  read.method === 'GET' && read.path === path && read.on.includes(base);

/** The tags in use, with what the SDL says of the resource. */
function tagsOf(schema: GraphQLSchema, operations: RestOperation[], items: PathItem[]): OpenApi['tags'] {
  const names = new Set(items.flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)));
  const types = new Map(
    operations.map((operation) => [inWords(resourceOf(operation)), resourceType(schema, operation)]),
  );
  return [...names].sort().map((name) => ({
    name,
    ...described(types.get(name)?.astNode?.description?.value),
  }));
}

/** The type that the file of an operation is named after, else the one that it answers. */
const resourceType = (schema: GraphQLSchema, operation: RestOperation) =>
  schema.getType(typeOfFile(resourceOf(operation))) ?? getNamedType(rootFieldOf(schema, operation).type);

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
