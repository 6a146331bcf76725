import type { OpenApi, Response } from '../../../rest-compat/openapi/document.ts';
import type { Answer } from '../../support/app.ts';
import { mistakesOf } from './schema-mistakes.ts';

/** What the description of the API says of operations, by the methods and paths under which it has them. */
export function describedBy(document: () => OpenApi) {
  const operationOf = (method: string, template: string) =>
    document().paths[template]?.[method.toLowerCase() as 'get'];
  return {
    /** The body that the description gives as an example. */
    exampleOf: (method: string, template: string): any =>
      operationOf(method, template)?.requestBody?.content['application/json']?.example,
    /** Whether the operation takes a header. */
    takes: (method: string, template: string, header: string): boolean =>
      operationOf(method, template)?.parameters.some(
        (parameter) => '$ref' in parameter && parameter.$ref.endsWith(`/${header}`),
      ) ?? false,
    /** What the description of an operation says of an answer, and the answer does not keep to. */
    mistakesIn(template: string, method: string, { status, headers, body }: Answer): string[] {
      const said = operationOf(method, template)?.responses[status];
      if (!said) return [`${method} ${template} answers ${status}, which its description does not know.`];
      const { components } = document();
      const answer =
        '$ref' in said
          ? components.responses[said.$ref.replace('#/components/responses/', '')]
          : (said as Response);
      const lacking = Object.keys(answer?.headers ?? {}).filter(
        (name) => name !== 'Idempotent-Replayed' && headers.get(name) === null,
      );
      const schema = answer?.content?.['application/json']?.schema ?? {};
      return [...lacking, ...mistakesOf(body, schema, components.schemas)];
    },
  };
}
