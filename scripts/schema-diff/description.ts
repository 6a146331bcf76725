import type {
  Method,
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
  Schema,
} from '../../rest-compat/openapi/document.ts';
import { type Changes, type Components, joined, noChanges, schemaChanges } from './schemas.ts';

/** What the new description of the REST API (as JSON) means to those who call it as the old one says. */
export function compareDescriptions(before: string, after: string): Changes {
  const [old, current]: OpenApi[] = [JSON.parse(before), JSON.parse(after)];
  if (!old || !current) return noChanges();
  const components = { old: old.components.schemas, current: current.components.schemas };
  const all = Object.entries(old.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, was]): Changes => {
      const at = `${method.toUpperCase()} ${path}`;
      const is = current.paths[path]?.[method as Method];
      if (!is) return { breaking: [`${at} is gone.`], dangerous: [] };
      return operationChanges(at, was, is, components);
    }),
  );
  return joined(all);
}

function operationChanges(
  at: string,
  old: OpenApiOperation,
  current: OpenApiOperation,
  components: Components,
): Changes {
  const changes = noChanges();
  if (old.operationId !== current.operationId) {
    changes.dangerous.push(`${at} was called ${old.operationId} and is called ${current.operationId}.`);
  }
  const [before, scopes] = [old['x-required-scope'], current['x-required-scope'] ?? []];
  const lost = before?.filter((scope) => !scopes.includes(scope)) ?? [];
  const needed = `${at} needs the scope ${scopes.join(' or ')}`;
  if (!before && scopes.length > 0) changes.breaking.push(`${needed}.`);
  if (lost.length > 0 && scopes.length > 0)
    changes.breaking.push(`${needed}; ${lost.join(', ')} will not do any more.`);
  const body = [bodyOf(old), bodyOf(current)] as const;
  return joined([
    changes,
    schemaChanges(
      { at: `${at} parameter`, old: parametersOf(old), current: parametersOf(current), direction: 'sent' },
      components,
    ),
    body[0] && body[1]
      ? schemaChanges({ at: `${at} body`, old: body[0], current: body[1], direction: 'sent' }, components)
      : noChanges(),
    bodyOf(current) && current.requestBody?.required && !old.requestBody?.required
      ? { breaking: [`${at} needs a body.`], dangerous: [] }
      : noChanges(),
    answerChanges(at, old, current, components),
  ]);
}

const bodyOf = ({ requestBody }: OpenApiOperation): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

/** The parameters of path and query as one object; headers are optional everywhere. */
function parametersOf({ parameters }: OpenApiOperation): Schema {
  const own = parameters.filter((parameter): parameter is OpenApiParameter => 'name' in parameter);
  return {
    type: 'object',
    required: own.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      own.map(({ name, schema, content }) => [name, schema ?? content?.['application/json']?.schema ?? {}]),
    ),
  };
}

/** The results: an answer that moved to another status is gone from where callers look for it. */
function answerChanges(
  at: string,
  old: OpenApiOperation,
  current: OpenApiOperation,
  components: Components,
): Changes {
  const all = Object.entries(old.responses).map(([status, was]): Changes => {
    const is = current.responses[status];
    if ('$ref' in was) return noChanges();
    if (!is || '$ref' in is)
      return { breaking: [`${at} does not answer ${status} any more.`], dangerous: [] };
    const [before, after] = [was.content?.['application/json'], is.content?.['application/json']];
    if (!before || !after) return noChanges();
    const versions = { at: `${at} answer`, old: before.schema, current: after.schema };
    return schemaChanges({ ...versions, direction: 'answered' }, components);
  });
  return joined(all);
}
