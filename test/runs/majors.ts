import OpenAI from 'openai';
import OpenAI4 from 'openai-v4';
import OpenAI5 from 'openai-v5';
import OpenAI6 from 'openai-v6';

/** What the majors have in common has no type. */
export type Client = any;

/** One major of OpenAI's SDK. */
export type Sdk = {
  client(): Client;
  /** A run of a thread as the major addresses it: the order of arguments turned round in the fifth. */
  named(threadId: string, runId: string): [string, unknown];
  remove: 'del' | 'delete';
};

const byId = (threadId: string, runId: string): [string, unknown] => [runId, { thread_id: threadId }];

/** Every major by its name. `options` are asked for when a client is made. */
export const majors = (options: () => { apiKey: string; baseURL: string }): Record<string, Sdk> => ({
  'openai 4.104': {
    client: () => new OpenAI4(options()),
    named: (threadId, runId) => [threadId, runId],
    remove: 'del',
  },
  'openai 5.23': { client: () => new OpenAI5(options()), named: byId, remove: 'delete' },
  'openai 6.49': { client: () => new OpenAI6(options()), named: byId, remove: 'delete' },
  'openai 7.55': { client: () => new OpenAI(options()), named: byId, remove: 'delete' },
});
