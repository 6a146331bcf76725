import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isCount, isNumber, isText, isWhole, optional, RequestProblem } from '../fields.ts';

const MAX_STOPS = 64;

/** The settings of a chat request that all providers know under one name or another; nonsense is refused by name. */
export function samplingOf(body: Fields): Partial<LanguageModelV4CallOptions> {
  refuseWhatNobodyHas(body);
  return {
    maxOutputTokens:
      optional(body, 'max_completion_tokens', isCount, 'a whole number above 0') ??
      optional(body, 'max_tokens', isCount, 'a whole number above 0'),
    temperature: optional(body, 'temperature', isNumber, 'a number'),
    topP: optional(body, 'top_p', isNumber, 'a number'),
    topK: optional(body, 'top_k', isCount, 'a whole number above 0'),
    presencePenalty: optional(body, 'presence_penalty', isNumber, 'a number'),
    frequencyPenalty: optional(body, 'frequency_penalty', isNumber, 'a number'),
    seed: optional(body, 'seed', isWhole, 'a whole number'),
    stopSequences: stopsOf(body.stop),
    responseFormat: formatOf(body.response_format),
  };
}

/** What changes the form of the answer is refused rather than dropped: the caller would wait for it in vain. */
function refuseWhatNobodyHas(body: Fields): void {
  const choices = optional(body, 'n', isCount, 'a whole number above 0');
  if (choices !== undefined && choices > 1)
    throw new RequestProblem('This provider gives one choice: n must be 1.', 'n');
  for (const name of ['logprobs', 'top_logprobs']) {
    if (body[name] !== undefined && body[name] !== null && body[name] !== false && body[name] !== 0)
      throw new RequestProblem(`This provider gives no log probabilities: leave ${name} out.`, name);
  }
}

function stopsOf(stop: unknown): string[] | undefined {
  if (stop === undefined || stop === null) return undefined;
  const list = Array.isArray(stop) ? stop : [stop];
  if (list.length > MAX_STOPS || !list.every((text) => isText(text) && text !== ''))
    throw new RequestProblem(`stop must be a text or a list of at most ${MAX_STOPS} texts.`, 'stop');
  return list.length === 0 ? undefined : list;
}

function formatOf(format: unknown): LanguageModelV4CallOptions['responseFormat'] {
  if (format === undefined || format === null) return undefined;
  const { type, json_schema: wrapped } = isObject(format) ? format : {};
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type: 'json' };
  if (type !== 'json_schema')
    throw new RequestProblem(
      'response_format.type must be text, json_object or json_schema.',
      'response_format',
    );
  if (!isObject(wrapped) || !isObject(wrapped.schema))
    throw new RequestProblem(
      'response_format.json_schema.schema must be a JSON schema.',
      'response_format.json_schema.schema',
    );
  return {
    type: 'json',
    schema: wrapped.schema,
    name: isText(wrapped.name) ? wrapped.name : undefined,
    description: isText(wrapped.description) ? wrapped.description : undefined,
  };
}
