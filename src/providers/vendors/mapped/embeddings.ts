import { bearer } from '../../credentials/keys.ts';
import { embeddingsOf, mapped } from '../../kinds/mapped/index.ts';
import { type MappedFields, parametersOf, textsOf } from '../../kinds/mapped/parameters.ts';

const model = { to: 'model', required: true } as const;

/** Voyage is almost OpenAI's, but takes no parameter that it does not know. */
export const voyage = mapped('voyage', bearer, {
  path: () => '/embeddings',
  request: (body) =>
    parametersOf(body, {
      model,
      input: { to: 'input', required: true, transform: textsOf },
      dimensions: { to: 'output_dimension' },
      encoding_format: {
        to: 'encoding_format',
        transform: (format) => (format === 'base64' ? format : undefined),
      },
      input_type: { to: 'input_type' },
      truncation: { to: 'truncation' },
    }),
  answer: ({ json }) =>
    Array.isArray(json.data)
      ? {
          ...json,
          object: 'list',
          usage: {
            prompt_tokens: (json.usage as MappedFields | undefined)?.total_tokens,
            ...(json.usage as object),
          },
        }
      : null,
});

/** Nomic's texts and vectors. */
export const nomic = mapped('nomic', bearer, {
  path: () => '/embedding/text',
  request: (body) =>
    parametersOf(body, {
      model,
      input: { to: 'texts', required: true, transform: textsOf },
      dimensions: { to: 'dimensionality' },
      task_type: { to: 'task_type', default: 'search_document' },
    }),
  answer: ({ json }, _body, name) => embeddingsOf(json.embeddings, name, json.usage),
});
