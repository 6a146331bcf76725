import { createAnthropic } from '@ai-sdk/anthropic';
import type { Provider } from '../../provider.ts';
import { chatDialect } from '../ai-sdk/chat.ts';
import { completeDialect } from '../ai-sdk/complete.ts';
import type { SdkProvider } from '../ai-sdk/dialect.ts';
import { entriesOf, MAX_PAGES, type Model, modelsDialect, type Read, secondsOf } from '../ai-sdk/models.ts';
import { PLACEHOLDER } from '../ai-sdk/signed-fetch.ts';
import { claudeOptions } from './options.ts';

/** The dialects of a provider that takes Claude's format as Anthropic itself does. */
export function claudeDialects(id: string, authorize: Provider['authorize']) {
  const vendor: SdkProvider = {
    id,
    authorize,
    chat: async ({ baseUrl, fetch }, model) =>
      createAnthropic({ baseURL: baseUrl, apiKey: PLACEHOLDER, fetch }).languageModel(model),
    chatOptions: claudeOptions,
  };
  return {
    chatComplete: chatDialect(vendor),
    complete: completeDialect(vendor),
    models: modelsDialect(vendor, (read, { baseUrl }) => list(read, `${baseUrl}/models?limit=1000`)),
  };
}

async function list(read: Read, url: string): Promise<Model[]> {
  const found: Model[] = [];
  let next = url;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data, has_more: more, last_id: last } = await read(next);
    found.push(
      ...entriesOf(data).map(({ id, created_at: date }) => ({ id: String(id), created: secondsOf(date) })),
    );
    if (more !== true) break;
    next = `${url}&after_id=${encodeURIComponent(String(last))}`;
  }
  return found;
}
