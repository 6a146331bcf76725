import type { PriceList } from '../../../recording/pricing/index.ts';

type Kind = 'chat' | 'text' | 'embedding' | 'image' | 'audio' | 'moderation';
type Parameter = {
  key: string;
  type: 'number' | 'integer' | 'boolean' | 'string' | 'array';
  defaultValue?: unknown;
  minValue?: number;
  maxValue?: number;
  options?: string[];
};

const sampling: Parameter[] = [
  { key: 'max_tokens', type: 'integer', minValue: 1 },
  { key: 'temperature', type: 'number', defaultValue: 1, minValue: 0, maxValue: 2 },
  { key: 'top_p', type: 'number', defaultValue: 1, minValue: 0, maxValue: 1 },
  { key: 'frequency_penalty', type: 'number', defaultValue: 0, minValue: -2, maxValue: 2 },
  { key: 'presence_penalty', type: 'number', defaultValue: 0, minValue: -2, maxValue: 2 },
  { key: 'stop', type: 'array' },
  { key: 'n', type: 'integer', defaultValue: 1, minValue: 1 },
  { key: 'stream', type: 'boolean', defaultValue: false },
];

const parametersOf: Record<Kind, Parameter[]> = {
  chat: sampling,
  text: sampling,
  embedding: [
    { key: 'dimensions', type: 'integer', minValue: 1 },
    { key: 'encoding_format', type: 'string', defaultValue: 'float', options: ['float', 'base64'] },
  ],
  image: [
    { key: 'n', type: 'integer', defaultValue: 1, minValue: 1 },
    { key: 'size', type: 'string' },
    { key: 'quality', type: 'string' },
  ],
  audio: [
    { key: 'language', type: 'string' },
    { key: 'temperature', type: 'number', defaultValue: 0, minValue: 0, maxValue: 1 },
  ],
  moderation: [],
};

/** What can be set for a model, told from the kind that its name and its prices show. */
export function configurationOf(model: string, list: PriceList) {
  const kind = kindOf(model, list);
  return {
    params: parametersOf[kind].map(({ options = [], ...parameter }) => ({
      ...parameter,
      options: options.map((value) => ({ value, name: value })),
    })),
    type: { primary: kind, supported: [kind] },
    messages: { options: kind === 'chat' ? ['system', 'developer', 'user', 'assistant', 'tool'] : [] },
    isDefault: true,
  };
}

function kindOf(model: string, { pay_as_you_go: prices }: PriceList): Kind {
  if (/moderation/.test(model)) return 'moderation';
  if (/embed/.test(model)) return 'embedding';
  if (prices.image || prices.response_image_token || /(^|-)image/.test(model)) return 'image';
  if (prices.additional_units?.audio_seconds || /tts|transcribe|whisper/.test(model)) return 'audio';
  return /^(davinci|babbage|curie|gpt-3\.5-turbo-instruct)/.test(model) ? 'text' : 'chat';
}
