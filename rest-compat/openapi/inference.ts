import { INFERENCE_SCOPES, MODEL_SCOPES } from '../../src/dataplane/steps/authorise.ts';
import type { Operation, Parameter, PathItem, Response, Schema } from './document.ts';
import { securityOf } from './surface.ts';

/** The tag of what reaches a provider. */
export const inferenceTag = {
  name: 'Inference',
  description:
    "The provider's own API: what it takes and answers passes through, streams included. Any other path below `/v1` goes to the provider as it is.",
};

const header = (name: string, description: string): Parameter => ({
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

const answer: Response = {
  description: "The provider's answer.",
  content: {
    'application/json': { schema: anything("In OpenAI's format where the provider speaks it.") },
    'text/event-stream': {
      schema: { type: 'string', description: 'With `stream: true`, one event a chunk.' },
    },
  },
};

const modelList: Response = {
  description: "The models of the workspace's providers.",
  content: {
    'application/json': { schema: anything('`{object: "list", data: [{id, object, created, owned_by}]}`') },
  },
};

const failure: Response = {
  description: 'An error of the gateway, or of the provider with its own status and body.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/InferenceError' } } },
};

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

const post = (operationId: string, summary: string, member: string, example: object): PathItem => ({
  post: operation(operationId, summary, INFERENCE_SCOPES, answer, {
    required: true,
    content: {
      'application/json': {
        schema: { type: 'object', properties: { model, [member]: {} }, additionalProperties: true },
        example,
      },
    },
  }),
});

function operation(
  operationId: string,
  summary: string,
  scopes: readonly string[],
  success: Response,
  requestBody?: Operation['requestBody'],
): Operation {
  return {
    operationId,
    tags: [inferenceTag.name],
    summary,
    description: `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    parameters,
    ...(requestBody && { requestBody }),
    responses: { 200: success, default: failure },
    security: securityOf('V1'),
    'x-required-scope': [...scopes],
  };
}

/** The paths of the data plane whose formats the gateway knows, below `/v1`. */
export const inferencePaths = (): Record<string, PathItem> => ({
  '/chat/completions': post('createChatCompletion', 'Create chat completion', 'messages', {
    model: '@mock/mock-1',
    messages: [{ role: 'user', content: 'Hello' }],
  }),
  '/completions': post('createCompletion', 'Create completion', 'prompt', {
    model: '@mock/mock-1',
    prompt: 'Hello',
  }),
  '/embeddings': post('createEmbedding', 'Create embedding', 'input', {
    model: '@mock/mock-embedding-1',
    input: 'Hello',
  }),
  '/models': { get: operation('listModels', 'List models', MODEL_SCOPES, modelList) },
});
