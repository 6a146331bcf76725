import { createCohere } from '@ai-sdk/cohere';
import type { JSONObject } from '@ai-sdk/provider';
import { bearer } from '../../credentials/keys.ts';
import { chatDialect } from '../../kinds/ai-sdk/chat.ts';
import { completeDialect } from '../../kinds/ai-sdk/complete.ts';
import type { SdkConnection, SdkProvider } from '../../kinds/ai-sdk/dialect.ts';
import { embeddingsDialect } from '../../kinds/ai-sdk/embeddings.ts';
import { isCount, isText, optional } from '../../kinds/ai-sdk/fields.ts';
import { reasoningOf, scaleOf } from '../../kinds/ai-sdk/request/reasoning.ts';
import { PLACEHOLDER } from '../../kinds/ai-sdk/signed-fetch.ts';

const library = ({ baseUrl, fetch }: SdkConnection) =>
  createCohere({ baseURL: `${baseUrl}/v2`, apiKey: PLACEHOLDER, fetch });

const vendor: SdkProvider = {
  id: 'cohere',
  authorize: bearer,
  chat: async (connection, model) => library(connection).languageModel(model),
  chatOptions(body) {
    const asked = reasoningOf(body);
    if (asked?.kind !== 'budget') return asked ? { reasoning: scaleOf(asked) } : {};
    return { providerOptions: { cohere: { thinking: { type: 'enabled', tokenBudget: asked.tokens } } } };
  },
  embedding: async (connection, model) => library(connection).embeddingModel(model),
  embeddingOptions(body) {
    const dimensions = optional(body, 'dimensions', isCount, 'a whole number above 0');
    const inputType = optional(body, 'input_type', isText, 'a text');
    const options: JSONObject = {
      ...(dimensions !== undefined && { outputDimension: dimensions }),
      ...(inputType !== undefined && { inputType }),
    };
    return { providerOptions: { cohere: options } };
  },
};

export const chatComplete = chatDialect(vendor);
export const complete = completeDialect(vendor);
export const embed = embeddingsDialect(vendor);
