import { createGoogle } from '@ai-sdk/google';
import { googleKey } from '../../credentials/keys.ts';
import { chatDialect } from '../../kinds/ai-sdk/chat.ts';
import type { SdkConnection, SdkProvider } from '../../kinds/ai-sdk/dialect.ts';
import { embeddingsDialect } from '../../kinds/ai-sdk/embeddings.ts';
import { entriesOf, MAX_PAGES, type Model, modelsDialect, type Read } from '../../kinds/ai-sdk/models.ts';
import { PLACEHOLDER } from '../../kinds/ai-sdk/signed-fetch.ts';
import { geminiOptions } from '../../kinds/gemini/options.ts';

const library = ({ baseUrl, fetch }: SdkConnection) =>
  createGoogle({ baseURL: baseUrl, apiKey: PLACEHOLDER, fetch });

const vendor: SdkProvider = {
  id: 'google',
  authorize: googleKey,
  chat: async (connection, model) => library(connection).languageModel(model),
  chatOptions: geminiOptions,
  embedding: async (connection, model) => library(connection).embeddingModel(model),
};

export const chatComplete = chatDialect(vendor);
export const embed = embeddingsDialect(vendor);
export const models = modelsDialect(vendor, (read, { baseUrl }) =>
  list(read, `${baseUrl}/models?pageSize=1000`),
);

async function list(read: Read, url: string): Promise<Model[]> {
  const found: Model[] = [];
  let next = url;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { models: listed, nextPageToken: token } = await read(next);
    found.push(
      ...entriesOf(listed).map(({ name }) => ({ id: String(name).replace(/^models\//, ''), created: 0 })),
    );
    if (typeof token !== 'string' || token === '') break;
    next = `${url}&pageToken=${encodeURIComponent(token)}`;
  }
  return found;
}
