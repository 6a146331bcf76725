import { auditedCall } from '../../../src/graph/index.ts';
import {
  addItems,
  createConversation,
  deleteConversation,
  deleteItem,
  getItem,
  listConversationItems,
  readConversation,
  updateConversation,
} from '../../../src/subgraphs/assistants/conversation/index.ts';
import { itemListArguments } from '../../../src/subgraphs/assistants/response/index.ts';
import type { RestConversation } from '../conversation.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { jsonAnswer, jsonLike, reading, writing } from './of-files.ts';
import {
  conversationId,
  ofConversations,
  openAnswer,
  type openSchemas,
  shownConversation,
  shownItem,
  shownList,
} from './of-responses.ts';

type Answer = (conversation: RestConversation, id: string, itemId: string) => Promise<unknown>;
type Facts = {
  description: string;
  /** What it answers; absent: that the conversation is gone. */
  shows?: Exclude<keyof typeof openSchemas, 'response'>;
  body?: object;
  query?: readonly string[];
};

const examples = { conversation: shownConversation, item: shownItem, list: shownList };
const gone = { id: conversationId, object: 'conversation.deleted', deleted: true };

const endpoint = (
  name: string,
  place: `${'GET' | 'POST' | 'DELETE'} /${string}`,
  { description, shows, body, query }: Facts,
  answer: Answer,
): HandwrittenEndpoint => {
  const [method, path] = place.split(' ') as [HandwrittenEndpoint['method'], string];
  return {
    ...ofConversations,
    ...(method === 'GET' ? reading : writing),
    ...{ name, method, path, query },
    describe: {
      tags: ['Thread'],
      description: `${description} A request that names a provider goes on to that provider.`,
      ...(body && { requestBody: { content: { 'application/json': jsonLike(body) } } }),
      responses: shows
        ? openAnswer('What became of it.', shows, examples[shows])
        : jsonAnswer('That it is gone.', gone),
    },
    async handle(conversation) {
      const { conversation_id: id = '', item_id: itemId = '' } = conversation.parameters;
      conversation.sendJson(await answer(conversation, id, itemId));
    },
  };
};

/** Bytes of a body: items may have files in them. */
const MAX_BYTES = 8 * 1024 * 1024;

const ONE = '/conversations/{conversation_id}';
const items = [{ type: 'message', role: 'user', content: 'Hello' }];

export const conversationEndpoints: HandwrittenEndpoint[] = [
  endpoint(
    'createConversation',
    'POST /conversations',
    {
      description: 'Makes a conversation, which responses go on with.',
      shows: 'conversation',
      body: { items, metadata: { topic: 'weather' } },
    },
    async ({ context, readJson }) => createConversation(context, await readJson(MAX_BYTES)),
  ),
  endpoint(
    'getConversation',
    `GET ${ONE}`,
    { description: 'A conversation.', shows: 'conversation' },
    ({ context }, id) => readConversation(context, id),
  ),
  endpoint(
    'updateConversation',
    `POST ${ONE}`,
    {
      description: 'Replaces the metadata of a conversation.',
      shows: 'conversation',
      body: { metadata: { topic: 'weather' } },
    },
    async ({ context, readJson }, id) => updateConversation(context, id, await readJson()),
  ),
  endpoint(
    'deleteConversation',
    `DELETE ${ONE}`,
    {
      description: 'Deletes a conversation with its items and responses.',
    },
    ({ context }, id) =>
      auditedCall(context, 'conversation.delete', { id }, () => deleteConversation(context, id)),
  ),
  endpoint(
    'createConversationItems',
    `POST ${ONE}/items`,
    { description: 'Adds up to 20 items to a conversation.', shows: 'list', body: { items } },
    async ({ context, readJson }, id) => addItems(context, id, await readJson(MAX_BYTES)),
  ),
  endpoint(
    'listConversationItems',
    `GET ${ONE}/items`,
    {
      description: 'What was said in a conversation.',
      shows: 'list',
      query: ['limit', 'order', 'after', 'include', 'include[]'],
    },
    ({ context, query }, id) => listConversationItems(context, id, itemListArguments(query)),
  ),
  endpoint(
    'getConversationItem',
    `GET ${ONE}/items/{item_id}`,
    { description: 'An item of a conversation.', shows: 'item', query: ['include', 'include[]'] },
    ({ context }, id, itemId) => getItem(context, { id, itemId }),
  ),
  endpoint(
    'deleteConversationItem',
    `DELETE ${ONE}/items/{item_id}`,
    { description: 'Removes an item from a conversation.', shows: 'conversation' },
    ({ context }, id, itemId) =>
      auditedCall(context, 'conversation.delete_item', { id, itemId }, () =>
        deleteItem(context, { id, itemId }),
      ),
  ),
];
