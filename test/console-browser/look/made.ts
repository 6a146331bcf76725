import { expect } from '@jest/globals';
import OpenAI from 'openai';
import { keyWith, seeds, url } from '../support/service.ts';
import { lockKeeper } from './screens.ts';

/** Makes what the demo has none of: an assistant, and a log with bodies, in the workspace of the bootstrap. */
export async function makeSeen(): Promise<void> {
  await new OpenAI({
    apiKey: await keyWith('search', 'completions.write'),
    baseURL: `${url}/v1`,
  }).beta.assistants.create({ model: '@mock/mock-1', name: lockKeeper });
  const targets = ['mock-error-503', 'mock-1'].map((model) => ({
    provider: '@mock',
    override_params: { model },
  }));
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': seeds.workspace_api_key,
      'x-gateway-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets }),
      'x-gateway-metadata': JSON.stringify({ team: 'appearance' }),
    },
    body: JSON.stringify({
      model: 'mock-1',
      messages: [
        { role: 'system', content: 'You answer people who visit a canal.' },
        { role: 'user', content: 'Why is a lock gate bent? It points up the water.' },
      ],
    }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}
