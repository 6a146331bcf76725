import { randomUUID } from 'node:crypto';
import type { Bootstrap } from '../../seeds/bootstrap.ts';

/** How often each kind of call was answered in which way: by status, or by the code of the graph's error. */
export type Tally = Map<string, Map<string, number>>;

export const described = (tally: Tally): string =>
  [...tally]
    .map(([kind, answers]) => `${kind} ${[...answers].map(([answer, n]) => `${n} × ${answer}`).join(', ')}`)
    .join('; ');

/** Those who call, and what they remember: what was acknowledged to them, and which of their requests failed. */
export class Callers {
  readonly #bootstrap: Bootstrap;
  chats = 0;
  readonly configs: string[] = [];
  readonly failed: string[] = [];

  constructor(bootstrap: Bootstrap) {
    this.#bootstrap = bootstrap;
  }

  readonly chat = async (): Promise<string> => {
    const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: `Hello ${randomUUID()}` }] };
    const { status } = await this.#call('POST', '/chat/completions', body);
    if (status === 200) this.chats++;
    return String(status);
  };

  readonly read = async (): Promise<string> => String((await this.#call('GET', '/configs')).status);

  readonly restWrite = async (): Promise<string> => {
    const name = randomUUID();
    const { status, id } = await this.#call('POST', '/configs', { name, config: { provider: '@mock' } });
    if (status === 200) this.configs.push(name);
    else this.failed.push(id);
    return String(status);
  };

  readonly graphWrite = async (): Promise<string> => {
    const name = randomUUID();
    const query = 'mutation($input: CreateConfigInput!) { createConfig(input: $input) { id } }';
    const variables = { input: { name, config: { provider: '@mock' } } };
    const { body, id } = await this.#call('POST', this.#bootstrap.graphql_url, { query, variables });
    const { data, errors } = JSON.parse(body);
    if (data?.createConfig) this.configs.push(name);
    else this.failed.push(id);
    return errors?.[0].extensions.code ?? 'done';
  };

  async #call(method: string, path: string, body?: object) {
    const id = randomUUID();
    const { base_url, workspace_api_key } = this.#bootstrap;
    const answer = await fetch(path.startsWith('/') ? base_url + path : path, {
      method,
      headers: {
        'x-request-id': id,
        'x-gateway-api-key': workspace_api_key,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    return { id, status: answer.status, body: await answer.text() };
  }
}

/** Makes each kind of call `times` times, side by side, and one after the other within a kind. */
export async function callEach(kinds: Record<string, () => Promise<string>>, times: number): Promise<Tally> {
  const tally: Tally = new Map();
  await Promise.all(
    Object.entries(kinds).map(async ([kind, make]) => {
      const answers = new Map<string, number>();
      tally.set(kind, answers);
      for (let time = 0; time < times; time++) {
        const answer = await make();
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    }),
  );
  return tally;
}
