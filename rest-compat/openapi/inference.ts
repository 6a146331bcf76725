import { type InferenceOperation, inferenceOperations } from '../../src/dataplane/call/operations.ts';
import { routeOf } from '../../src/dataplane/call/routes.ts';
import { scopesOf } from '../../src/dataplane/steps/authorise.ts';
import type {
  Method,
  OpenApiContent,
  OpenApiOperation,
  OpenApiParameter,
  PathItem,
  Response,
  Schema,
} from './document.ts';
import { securityOf } from './surface.ts';

/** The tag of operations that reach a provider. */
export const inferenceTag = {
  name: 'Inference',
  description:
    "The provider's own API: what it takes and answers passes through, streams included. Any other path below `/v1` goes to the provider as it is, but for those that begin with a name of the administration.",
};

const header = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const parameters = [
  header('x-gateway-config', 'Id or slug of a saved config, or a config as JSON.'),
  header(
    'x-gateway-provider',
    '`@slug` of a provider of the workspace, or a provider kind such as `openai`.',
  ),
  header('x-gateway-custom-host', 'Base URL of the provider in place of its own.'),
];

const anything = (description: string): Schema => ({
  type: 'object',
  additionalProperties: true,
  description,
});

const json: OpenApiContent = {
  'application/json': { schema: anything("In OpenAI's format where the provider speaks it.") },
};
const binary: Schema = { type: 'string', format: 'binary' };

const answers: Record<InferenceOperation['answers'], Response> = {
  JSON: { description: "The provider's answer.", content: json },
  'JSON or events': {
    description: "The provider's answer.",
    content: {
      ...json,
      'text/event-stream': {
        schema: { type: 'string', description: 'With `stream: true`, one event a chunk.' },
      },
    },
  },
  bytes: {
    description: 'The bytes, as they come.',
    content: { 'application/octet-stream': { schema: binary } },
  },
  'JSON lines': {
    description: 'One row a line.',
    content: { 'application/jsonl': { schema: { type: 'string' } } },
  },
  anything: { description: 'What the provider answers, unchanged.', content: { '*/*': { schema: {} } } },
  'a WebSocket': { description: 'Both sides now speak WebSocket.' },
};

const failure = (schema: string): Response => ({
  description: 'An error of the gateway, or of the provider with its own status and body.',
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

/** The path's callers know errors in Anthropic's form. */
const isMessages = (path: string): boolean => path.startsWith('/messages');

/** The same errors where the callers are Anthropic's. */
export const messagesErrorSchema = (): Schema => ({
  type: 'object',
  required: ['type', 'error'],
  properties: {
    type: { type: 'string', enum: ['error'] },
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: { type: { type: 'string' }, message: { type: 'string' } },
    },
  },
});

/** The errors that the gateway raises itself on these paths. */
export const inferenceErrorSchema = (): Schema => ({
  type: 'object',
  required: ['error'],
  properties: {
    status: { type: 'string', enum: ['failure'] },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' } },
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: 'string', nullable: true },
        code: { type: 'string', nullable: true },
      },
    },
  },
});

const model: Schema = {
  type: 'string',
  description: '`@slug/model` names a provider of the workspace as well. A config may set it.',
};

/** What a request may look like. */
const examples: Record<string, object> = {
  '/chat/completions': { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] },
  '/completions': { model: '@mock/mock-1', prompt: 'Hello' },
  '/embeddings': { model: '@mock/mock-embedding-1', input: 'Hello' },
};

function bodyOf({ sends, path }: InferenceOperation): OpenApiContent | null {
  if (sends === 'nothing') return null;
  if (sends === 'anything') return { '*/*': { schema: {} } };
  // Files, batches and jobs belong to a provider, which no model of theirs names.
  const properties: Record<string, Schema> = routeOf(path).unified ? { model } : {};
  if (sends === 'a form') {
    const file: Schema = { ...binary, description: 'Put the other fields before it.' };
    return {
      'multipart/form-data': {
        schema: { type: 'object', properties: { ...properties, file }, additionalProperties: true },
      },
    };
  }
  const example = examples[path];
  return {
    'application/json': {
      schema: { type: 'object', properties, additionalProperties: true },
      ...(example && { example }),
    },
  };
}

const inPath = (path: string): OpenApiParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function describeInference(inference: InferenceOperation): OpenApiOperation {
  const { operationId, method, path, summary } = inference;
  const scopes = scopesOf(routeOf(path), method);
  const content = bodyOf(inference);
  const isSocket = inference.answers === 'a WebSocket';
  const refused = failure(isMessages(path) ? 'MessagesError' : 'InferenceError');
  return {
    operationId,
    tags: [inferenceTag.name],
    summary,
    description: `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    parameters: [...inPath(path), ...(isSocket ? [modelInQuery] : []), ...parameters],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      [isSocket ? 101 : 200]: answers[inference.answers],
      '4XX': refused,
      default: refused,
    },
    security: securityOf('V1'),
    'x-required-scope': [...scopes],
  };
}

const modelInQuery: OpenApiParameter = { name: 'model', in: 'query', schema: model };

/** The paths of the data plane that are known, below `/v1`. */
export function inferencePaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const inference of inferenceOperations) {
    const method = inference.method.toLowerCase() as Method;
    paths[inference.path] = { ...paths[inference.path], [method]: describeInference(inference) };
  }
  return paths;
}
