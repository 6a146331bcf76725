import { KEPT_CONVERSATION, KEPT_RESPONSE } from '../../../src/dataplane/keeping/kept-ids.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { ofFiles } from './of-files.ts';

type Common = Pick<HandwrittenEndpoint, 'on' | 'errors' | 'yields' | 'isOwn'>;

/** What all paths of one response have in common: ids that the gateway did not give are a provider's. */
export const ofResponses: Common = {
  ...ofFiles,
  isOwn: (path) => path.startsWith(`/v1/responses/${KEPT_RESPONSE}`),
};

/** The same of conversations. */
export const ofConversations: Common = {
  ...ofFiles,
  isOwn: (path) => path === '/v1/conversations' || path.startsWith(`/v1/conversations/${KEPT_CONVERSATION}`),
};

const id = `${KEPT_RESPONSE}_0PfkXc8T0000WqZbM3vLr2Yt`;
export const conversationId = `${KEPT_CONVERSATION}_8xTqLmN2vB5cRw9ZyK3pJd7H`;

export const shownItem = {
  id: 'msg_0PfkXc8T0000aB3dE5fG7hJ9',
  type: 'message',
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_text', text: 'Hello' }],
};

export const shownResponse = {
  id,
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  model: '@openai/gpt-5',
  previous_response_id: 'resp_kept_0PfkXc8S0000AbCdEfGhIjKl',
  store: true,
  background: false,
  metadata: { topic: 'weather' },
  output: [{ id: 'msg_0PfkXc8T0Wm0Q2w4E6r8T0yU', type: 'message', role: 'assistant', status: 'completed' }],
};

export const shownConversation = {
  id: conversationId,
  object: 'conversation',
  created_at: 1_790_000_000,
  metadata: { topic: 'weather' },
};

export const shownList = {
  object: 'list',
  data: [shownItem],
  first_id: shownItem.id,
  last_id: shownItem.id,
  has_more: false,
};

const open = (required: readonly string[], properties: object): object => ({
  type: 'object',
  required,
  properties,
  additionalProperties: true,
});

const text = { type: 'string' };
const anything = { type: 'object', additionalProperties: true };

/** A response, an item, and what has them: models decide what else is there. */
export const openSchemas = {
  response: open(['id', 'object', 'created_at', 'status', 'model', 'output', 'metadata'], {
    ...{ id: text, object: text, created_at: { type: 'integer' }, status: text, model: text },
    output: { type: 'array', items: open(['id', 'type'], { id: text, type: text }) },
    metadata: anything,
  }),
  item: open(['id', 'type'], { id: text, type: text }),
  list: open(['object', 'data', 'first_id', 'last_id', 'has_more'], {
    object: text,
    data: { type: 'array', items: open(['id', 'type'], { id: text, type: text }) },
    first_id: { ...text, nullable: true },
    last_id: { ...text, nullable: true },
    has_more: { type: 'boolean' },
  }),
  conversation: open(['id', 'object', 'created_at', 'metadata'], {
    ...{ id: text, object: text, created_at: { type: 'integer' }, metadata: anything },
  }),
};

/** An answer in JSON of one of these. */
export const openAnswer = (description: string, kind: keyof typeof openSchemas, example: object) => ({
  200: { description, content: { 'application/json': { schema: openSchemas[kind], example } } },
});
