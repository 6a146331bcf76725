/** What a call asks of a provider, as logs and rules name it. */
export type Endpoint =
  | 'chatComplete'
  | 'complete'
  | 'embed'
  | 'messages'
  | 'countTokens'
  | 'createResponse'
  | 'storedResponse'
  | 'imageGenerate'
  | 'imageEdit'
  | 'imageVariation'
  | 'createSpeech'
  | 'createTranscription'
  | 'createTranslation'
  | 'rerank'
  | 'moderate'
  | 'ocr'
  | 'models'
  | 'files'
  | 'batches'
  | 'batchOutput'
  | 'fineTuning'
  | 'realtime'
  | 'proxy';

/** What a provider may offer in a format that the gateway knows, each with the endpoints that belong to it. */
const endpointsByOffer = {
  chat: ['chatComplete'],
  completions: ['complete'],
  embeddings: ['embed'],
  images: ['imageGenerate'],
  'image edits': ['imageEdit', 'imageVariation'],
  speech: ['createSpeech'],
  transcriptions: ['createTranscription'],
  translations: ['createTranslation'],
  messages: ['messages', 'countTokens'],
  responses: ['createResponse', 'storedResponse'],
  files: ['files'],
  batches: ['batches'],
  'fine-tuning': ['fineTuning'],
  realtime: ['realtime'],
} satisfies Record<string, readonly Endpoint[]>;

export type Offer = keyof typeof endpointsByOffer;

export const allOffers = Object.keys(endpointsByOffer) as readonly Offer[];

const passedOn: readonly Endpoint[] = ['rerank', 'moderate', 'ocr', 'models', 'proxy'];

/** Whether requests to an endpoint go to a provider as they are, unless it has a dialect for them. */
export const isPassedOn = (endpoint: Endpoint): boolean => passedOn.includes(endpoint);

/** The endpoints that belong to some offers, and those that every provider is asked without a translation. */
export const endpointsOf = (...offers: readonly Offer[]): ReadonlySet<Endpoint> =>
  new Set([...offers.flatMap((offer): readonly Endpoint[] => endpointsByOffer[offer]), ...passedOn]);
