import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { regionOf } from '../../credentials/aws/authorize.ts';
import { chatDialect } from '../../kinds/ai-sdk/chat.ts';
import { completeDialect } from '../../kinds/ai-sdk/complete.ts';
import type { SdkConnection, SdkProvider } from '../../kinds/ai-sdk/dialect.ts';
import { embeddingsDialect } from '../../kinds/ai-sdk/embeddings.ts';
import { isCount, isText, optional } from '../../kinds/ai-sdk/fields.ts';
import { imagesDialect } from '../../kinds/ai-sdk/images.ts';
import { entriesOf, type Model, modelsDialect, type Read } from '../../kinds/ai-sdk/models.ts';
import { PLACEHOLDER } from '../../kinds/ai-sdk/signed-fetch.ts';
import type { BaseUrl } from '../../provider.ts';
import { authorize } from './authorize.ts';
import { bedrockOptions, dimensionOption } from './options.ts';

export { messages } from './messages.ts';

const library = ({ baseUrl, credential, fetch }: SdkConnection) =>
  createAmazonBedrock({
    baseURL: baseUrl,
    region: regionOf(credential.settings),
    apiKey: PLACEHOLDER,
    fetch,
  });

const vendor: SdkProvider = {
  id: 'bedrock',
  authorize,
  chat: async (connection, model) => library(connection).languageModel(model),
  chatOptions: bedrockOptions,
  embedding: async (connection, model) => library(connection).embeddingModel(model),
  embeddingOptions(body, model) {
    const dimensions = optional(body, 'dimensions', isCount, 'a whole number above 0');
    const inputType = optional(body, 'input_type', isText, 'a text');
    return {
      providerOptions: {
        amazonBedrock: {
          ...dimensionOption(model, dimensions),
          ...(inputType !== undefined && { inputType }),
        },
      },
    };
  },
  image: async (connection, model) => library(connection).imageModel(model),
  imageOptions: ({ quality }) =>
    quality === 'standard' || quality === 'premium'
      ? { providerOptions: { amazonBedrock: { quality } } }
      : {},
};

export const chatComplete = chatDialect(vendor);
export const complete = completeDialect(vendor);
export const embed = embeddingsDialect(vendor);
export const imageGenerate = imagesDialect(vendor);

/** Models are listed at another host than the one that runs them. */
const controlOrigin = ({ origin }: BaseUrl): string => origin.replace('://bedrock-runtime.', '://bedrock.');

export const models = modelsDialect(
  vendor,
  (read, { baseUrl }) => list(read, baseUrl.replace('://bedrock-runtime.', '://bedrock.')),
  (base) => [controlOrigin(base)],
);

async function list(read: Read, url: string): Promise<Model[]> {
  const { modelSummaries: listed } = await read(`${url}/foundation-models`);
  return entriesOf(listed).map(({ modelId }) => ({ id: String(modelId), created: 0 }));
}
