import type { RestBase } from '../compile/rest-directive.ts';
import type { HandwrittenEndpoint } from '../serve/handwritten/handwritten.ts';
import type { OpenApiOperation, OpenApiParameter } from './document.ts';
import type { AnswerName } from './errors.ts';
import { framed } from './frame.ts';
import { requestReferences } from './headers.ts';
import { inWords } from './readable-names.ts';

const forbidden: AnswerName[] = ['Forbidden'];

/** Describes an endpoint that is written by hand, on one of its bases. */
export function describeHandwritten(endpoint: HandwrittenEndpoint, base: RestBase): OpenApiOperation {
  const { name, method, path, on, scope, errors } = endpoint;
  const own = endpoint.describe as Partial<OpenApiOperation>;
  const tag = tagOf(endpoint);
  const frame = {
    ...{ name, tag, method, path, on },
    description: own.description,
    scopes: scope === undefined ? null : [scope].flat(),
    errors,
    isPublic: endpoint.isPublic ?? false,
    takesBody: own.requestBody !== undefined,
    mayAnswer: endpoint.isPublic ? forbidden : [],
  };
  const described = framed(frame, base, {
    parameters: [...parametersOf(endpoint, own.parameters ?? []), ...requestReferences(['x-request-id'])],
    ...(own.requestBody && { requestBody: own.requestBody }),
    responses: own.responses ?? { 200: { description: 'Done.' } },
  });
  return { ...described, summary: own.summary ?? described.summary };
}

/** `/files/{fileId}/content` -> `Files`, unless the endpoint names another tag. */
export const tagOf = ({ path, describe }: HandwrittenEndpoint): string =>
  (describe as Partial<OpenApiOperation>).tags?.[0] ??
  inWords((path.split('/')[1] ?? path).replace(/s$/, ''));

/** Every parameter of the path and query once, in the words of the endpoint where it has some. */
function parametersOf(
  { path, query = [] }: HandwrittenEndpoint,
  said: OpenApiOperation['parameters'],
): OpenApiOperation['parameters'] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const plain: OpenApiParameter[] = [
    ...inPath.map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      schema: { type: 'string' as const },
    })),
    ...query.map((name) => ({ name, in: 'query' as const, schema: { type: 'string' as const } })),
  ];
  const isSaid = ({ name, in: place }: OpenApiParameter) =>
    said.some((parameter) => 'name' in parameter && parameter.name === name && parameter.in === place);
  return [...plain.filter((parameter) => !isSaid(parameter)), ...said];
}
