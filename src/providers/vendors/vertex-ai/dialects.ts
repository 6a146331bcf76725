import { AnthropicLanguageModel } from '@ai-sdk/anthropic/internal';
import { GoogleLanguageModel } from '@ai-sdk/google/internal';
import { createGoogleVertex } from '@ai-sdk/google-vertex';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { chatDialect } from '../../kinds/ai-sdk/chat.ts';
import type { SdkConnection, SdkProvider } from '../../kinds/ai-sdk/dialect.ts';
import { embeddingsDialect } from '../../kinds/ai-sdk/embeddings.ts';
import { RequestProblem } from '../../kinds/ai-sdk/fields.ts';
import { imagesDialect, sizeOf } from '../../kinds/ai-sdk/images.ts';
import { entriesOf, MAX_PAGES, type Model, modelsDialect, type Read } from '../../kinds/ai-sdk/models.ts';
import { PLACEHOLDER } from '../../kinds/ai-sdk/signed-fetch.ts';
import { claudeOptions } from '../../kinds/claude/options.ts';
import { geminiOptions } from '../../kinds/gemini/options.ts';
import type { DialectRequest } from '../../provider.ts';
import { authorize } from './authorize.ts';
import { labelsOf } from './labels.ts';
import { CLAUDE_VERSION, claudeUrl, locationOf, placeOf } from './places.ts';

export { messages } from './messages.ts';

/** Google's models know more in the version that is to come than in the one that is. */
const betaOf = (baseUrl: string): string => baseUrl.replace(/\/v1$/, '/v1beta1');

const library = ({ baseUrl, credential, fetch }: SdkConnection) =>
  createGoogleVertex({
    baseURL: `${locationOf(betaOf(baseUrl), credential)}/publishers/google`,
    apiKey: PLACEHOLDER,
    fetch,
  });

const vendor: SdkProvider = {
  id: 'vertex-ai',
  authorize,
  async chat(connection, name) {
    const { publisher, model } = placeOf(name);
    return publisher === 'anthropic' ? claude(connection, model) : gemini(connection, model);
  },
  chatOptions(body, name, common, request) {
    const { publisher, model } = placeOf(name);
    return publisher === 'anthropic'
      ? claudeOptions(body, model, common)
      : labelled(geminiOptions(body, model, common, request), request);
  },
  embedding: async (connection, name) => library(connection).embeddingModel(placeOf(name).model),
  image: async (connection, name) => library(connection).imageModel(placeOf(name).model),
  imageOptions: ({ size }) => ({ size: undefined, aspectRatio: ratioOf(sizeOf(size)) }),
};

export const chatComplete = chatDialect(vendor);
export const embed = embeddingsDialect(vendor);
export const imageGenerate = imagesDialect(vendor);

function gemini({ baseUrl, credential, fetch }: SdkConnection, model: string): LanguageModelV4 {
  const location = locationOf(betaOf(baseUrl), credential);
  return new GoogleLanguageModel(model, {
    provider: 'google.vertex.chat',
    // A tuned model is an endpoint of the project's own.
    baseURL: model.startsWith('endpoints/') ? location : `${location}/publishers/google`,
    fetch,
    generateId: () => crypto.randomUUID(),
  });
}

type Options = Partial<LanguageModelV4CallOptions>;

function labelled(options: Options, { metadata }: DialectRequest): Options {
  const labels = labelsOf(metadata);
  if (!labels) return options;
  return { ...options, providerOptions: { google: { ...options.providerOptions?.google, labels } } };
}

function claude(connection: SdkConnection, model: string): LanguageModelV4 {
  return new AnthropicLanguageModel(model, {
    provider: 'vertex.anthropic.messages',
    baseURL: connection.baseUrl,
    headers: {},
    fetch: connection.fetch,
    buildRequestUrl: (_base, isStreaming) => claudeUrl(connection, model, isStreaming),
    transformRequestBody: ({ model: _model, ...body }) => ({ ...body, anthropic_version: CLAUDE_VERSION }),
    supportsNativeStructuredOutput: false,
    supportsStrictTools: false,
  });
}

const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;

/** Google is told the form of an image, not its size. */
function ratioOf(size: string | undefined): (typeof ratios)[number] | undefined {
  if (size === undefined) return undefined;
  const [width = 1, height = 1] = size.split('x').map(Number);
  const found = ratios.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return width * down === height * across;
  });
  if (!found) throw new RequestProblem(`size must be in one of the ratios ${ratios.join(', ')}.`, 'size');
  return found;
}

export const models = modelsDialect(vendor, (read, { baseUrl }) => list(read, betaOf(baseUrl)));

async function list(read: Read, baseUrl: string): Promise<Model[]> {
  const found: Model[] = [];
  for (const publisher of ['google', 'anthropic']) {
    let token = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = `${baseUrl}/publishers/${publisher}/models?pageSize=100${token}`;
      const { publisherModels: listed, nextPageToken: next } = await read(url);
      found.push(...entriesOf(listed).map(({ name }) => ({ id: idOf(publisher, name), created: 0 })));
      if (typeof next !== 'string' || next === '') break;
      token = `&pageToken=${encodeURIComponent(next)}`;
    }
  }
  return found;
}

/** As a chat call takes it. */
const idOf = (publisher: string, name: unknown): string =>
  `${publisher}.${String(name).replace(/^publishers\/[^/]+\/models\//, '')}`;
