/** What a call asks of a provider (spec/data-plane.md, sections 5.6, 9.2 and 10.1). */
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

/** The letters by which section 9.2 lists what a provider has. */
const letters: Record<string, readonly Endpoint[]> = {
  c: ['chatComplete'],
  t: ['complete'],
  e: ['embed'],
  m: ['messages', 'countTokens'],
  r: ['createResponse', 'storedResponse'],
  i: ['imageGenerate'],
  ie: ['imageEdit', 'imageVariation'],
  s: ['createSpeech'],
  x: ['createTranscription'],
  l: ['createTranslation'],
  f: ['files'],
  b: ['batches'],
  ft: ['fineTuning'],
  rt: ['realtime'],
};

const passedOn: readonly Endpoint[] = ['rerank', 'moderate', 'ocr', 'models', 'proxy'];

/** Unified only where a provider maps it, else passed on as it is (section 10.1). */
export const isPassedOn = (endpoint: Endpoint): boolean => passedOn.includes(endpoint);

/** Endpoints out of letters such as `c t e`, and what every provider is asked without a translation. */
export const endpointsOf = (text: string): ReadonlySet<Endpoint> =>
  new Set([
    ...text
      .split(' ')
      .filter((letter) => letter !== '')
      .flatMap((letter) => {
        const found = letters[letter];
        if (!found) throw new Error(`${letter} stands for no endpoint.`);
        return found;
      }),
    ...passedOn,
  ]);
