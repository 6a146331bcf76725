import type { RestBase } from '../compile/rest-directive.ts';
import type { RestException } from '../serve/handwritten/handwritten.ts';
import type { Operation, Parameter } from './document.ts';
import type { AnswerName } from './errors.ts';
import { framed } from './frame.ts';
import { requestReferences } from './headers.ts';
import { inWords } from './words.ts';

const forbidden: AnswerName[] = ['Forbidden'];

/** A path that code answers, on one of its bases: what it says of itself within what holds for all. */
export function describeException(exception: RestException, base: RestBase): Operation {
  const { name, method, path, on, scope } = exception;
  const own = exception.describe as Partial<Operation>;
  const tag = exceptionTag(exception);
  const frame = {
    ...{ name, tag, method, path, on },
    description: own.description,
    scopes: scope === undefined ? null : [scope],
    isPublic: exception.isPublic ?? false,
    takesBody: own.requestBody !== undefined,
    mayAnswer: exception.isPublic ? forbidden : [],
  };
  const described = framed(frame, base, {
    parameters: [...parametersOf(exception, own.parameters ?? []), ...requestReferences(['x-request-id'])],
    ...(own.requestBody && { requestBody: own.requestBody }),
    responses: own.responses ?? { 200: { description: 'Done.' } },
  });
  return { ...described, summary: own.summary ?? described.summary };
}

/** `/files/{fileId}/content` -> `Files`, unless it says another. */
export const exceptionTag = ({ path, describe }: RestException): string =>
  (describe as Partial<Operation>).tags?.[0] ?? inWords(path.split('/')[1] ?? path);

/** Every parameter of the path and query once, in the words of the exception where it has some. */
function parametersOf(
  { path, query = [] }: RestException,
  said: Operation['parameters'],
): Operation['parameters'] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const plain: Parameter[] = [
    ...inPath.map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      schema: { type: 'string' as const },
    })),
    ...query.map((name) => ({ name, in: 'query' as const, schema: { type: 'string' as const } })),
  ];
  const isSaid = ({ name, in: place }: Parameter) =>
    said.some((parameter) => 'name' in parameter && parameter.name === name && parameter.in === place);
  return [...plain.filter((parameter) => !isSaid(parameter)), ...said];
}
