import { bearer } from '../../credentials/keys.ts';
import { completionOf, mapped } from '../../kinds/mapped/index.ts';
import { type Parameter, parametersOf, promptOf } from '../../kinds/mapped/parameters.ts';
import { workersAiModel } from './images.ts';

const listOf = (value: unknown) => (Array.isArray(value) ? value : [value]);

const sampling = {
  max_tokens: { to: 'max_tokens', min: 1 },
  temperature: { to: 'temperature', min: 0 },
  top_p: { to: 'top_p', min: 0, max: 1 },
  top_k: { to: 'top_k', min: 0 },
} satisfies Record<string, Parameter>;

/** Triton's generate extension; the custom host leads to the model. */
export const triton = mapped('triton', () => {}, {
  path: () => '/generate',
  request: (body) =>
    parametersOf(body, {
      prompt: { to: 'text_input', required: true, transform: promptOf },
      ...sampling,
      stop: { to: 'stop_words', transform: listOf },
      seed: { to: 'random_seed' },
    }),
  answer: ({ json }, _body, model) => completionOf('triton', json.text_output, model),
});

export const workersAi = mapped('workers-ai', bearer, {
  path: (model) => `/run/${workersAiModel(model)}`,
  request: (body) =>
    parametersOf(body, {
      prompt: { to: 'prompt', required: true, transform: promptOf },
      ...sampling,
      seed: { to: 'seed' },
      frequency_penalty: { to: 'frequency_penalty', min: 0, max: 2 },
      presence_penalty: { to: 'presence_penalty', min: 0, max: 2 },
    }),
  answer({ json }, _body, model) {
    const { response, usage } = (json.result ?? {}) as { response?: unknown; usage?: unknown };
    return completionOf('workers-ai', response, model, usage ? { usage } : {});
  },
});
