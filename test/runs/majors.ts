import OpenAI from 'openai';
import OpenAI4 from 'openai-v4';
import OpenAI5 from 'openai-v5';
import OpenAI6 from 'openai-v6';

/** What the majors have in common has no type. */
export type Client = any;

/** One major of OpenAI's SDK. */
export type Sdk = {
  /** `more`: options beside those of all clients. */
  client(more?: object): Client;
  /** A run or a message of a thread as the major addresses it: the order of arguments turned round in the fifth. */
  named(threadId: string, id: string, members?: object): unknown[];
  remove: 'del' | 'delete';
};

const byThread: Sdk['named'] = (threadId, id, members) => [threadId, id, ...(members ? [members] : [])];
const byId: Sdk['named'] = (threadId, id, members) => [id, { ...members, thread_id: threadId }];

/** Every major by its name. `options` are asked for when a client is made. */
export const majors = (
  options: () => { apiKey: string; baseURL: string; maxRetries?: number },
): Record<string, Sdk> => ({
  'openai 4.104': {
    client: (more) => new OpenAI4({ ...options(), ...more }),
    named: byThread,
    remove: 'del',
  },
  'openai 5.23': { client: (more) => new OpenAI5({ ...options(), ...more }), named: byId, remove: 'delete' },
  'openai 6.49': { client: (more) => new OpenAI6({ ...options(), ...more }), named: byId, remove: 'delete' },
  'openai 7.55': { client: (more) => new OpenAI({ ...options(), ...more }), named: byId, remove: 'delete' },
});

/** The outputs of all calls that a run waits for, as its SDK submits them. */
export function submitted({ named }: Sdk, threadId: string, run: any, output = 'Rain'): unknown[] {
  const calls: { id: string }[] = run.required_action.submit_tool_outputs.tool_calls;
  return named(threadId, run.id, { tool_outputs: calls.map(({ id }) => ({ tool_call_id: id, output })) });
}
