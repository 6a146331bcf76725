import { auditedCall } from '../../../src/graph/index.ts';
import {
  cancelResponse,
  deleteResponse,
  followResponse,
  itemListArguments,
  listInputItems,
  readResponse,
} from '../../../src/subgraphs/assistants/response/index.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { jsonAnswer, reading, writing } from './of-files.ts';
import { ofResponses, openAnswer, shownList, shownResponse } from './of-responses.ts';

const tags = ['Run'];
const elsewhere = 'One that a provider keeps, or a request that names a provider, goes on to that provider.';

const getResponse: HandwrittenEndpoint = {
  ...ofResponses,
  ...reading,
  name: 'getResponse',
  method: 'GET',
  path: '/responses/{response_id}',
  query: ['include', 'include[]', 'include_obfuscation', 'stream', 'starting_after'],
  describe: {
    tags,
    description: `A response that the gateway keeps; with \`stream=true\` its events, behind \`starting_after\`. ${elsewhere}`,
    responses: openAnswer('The response.', 'response', shownResponse),
  },
  async handle({ context, parameters, query, sendJson, sendEvents }) {
    const id = parameters.response_id ?? '';
    if (query.stream !== 'true') sendJson(await readResponse(context, id));
    else await sendEvents(await followResponse(context, id, query.starting_after));
  },
};

const removeResponse: HandwrittenEndpoint = {
  ...ofResponses,
  ...writing,
  name: 'deleteResponse',
  method: 'DELETE',
  path: '/responses/{response_id}',
  describe: {
    tags,
    description: `Deletes a response that the gateway keeps; its conversation stays as it is. ${elsewhere}`,
    responses: jsonAnswer('That it is gone.', { id: shownResponse.id, object: 'response', deleted: true }),
  },
  async handle({ context, parameters, sendJson }) {
    const id = parameters.response_id ?? '';
    sendJson(await auditedCall(context, 'response.delete', { id }, () => deleteResponse(context, id)));
  },
};

const cancel: HandwrittenEndpoint = {
  ...ofResponses,
  ...writing,
  name: 'cancelResponse',
  method: 'POST',
  path: '/responses/{response_id}/cancel',
  describe: {
    tags,
    description: `Stops a response that was asked for with \`background\`. ${elsewhere}`,
    responses: openAnswer('The response.', 'response', {
      ...shownResponse,
      status: 'cancelled',
      background: true,
    }),
  },
  handle: async ({ context, parameters, sendJson }) =>
    sendJson(await cancelResponse(context, parameters.response_id ?? '')),
};

const inputItems: HandwrittenEndpoint = {
  ...ofResponses,
  ...reading,
  name: 'listResponseInputItems',
  method: 'GET',
  path: '/responses/{response_id}/input_items',
  query: ['limit', 'order', 'after', 'include', 'include[]'],
  describe: {
    tags,
    description: `The input that came with a response, without what it goes on from. ${elsewhere}`,
    responses: openAnswer('A part of the list.', 'list', shownList),
  },
  async handle({ context, parameters, query, sendJson }) {
    sendJson(await listInputItems(context, parameters.response_id ?? '', itemListArguments(query)));
  },
};

export const responseEndpoints: HandwrittenEndpoint[] = [getResponse, removeResponse, cancel, inputItems];
