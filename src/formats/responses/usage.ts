import type { JsonObject } from '../../lib/json.ts';
import { inputClasses, outputClasses } from '../usage/classes.ts';
import { count, membersOf, quantity, sum } from '../usage/counts.ts';
import type { Reading, UsageReader } from '../usage/reader.ts';

/** OpenAI's newer reports: responses, images, transcriptions and realtime. Cached and reasoning tokens are inside the totals. */
export const responsesUsage: UsageReader = {
  names: ['usage'],
  matches: (report) =>
    report.type === 'duration' ||
    ('input_tokens' in report &&
      ('total_tokens' in report || 'input_tokens_details' in report || 'input_token_details' in report)),
  read(report) {
    if (report.type === 'duration') return durationOf(report);
    const promptTokens = count(report.input_tokens);
    const completionTokens = count(report.output_tokens);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(report.total_tokens) ?? count(sum(promptTokens, completionTokens)),
      classes: { ...inputOf(report, promptTokens ?? 0), ...outputOf(report, completionTokens ?? 0) },
    };
  },
};

/** Transcriptions by models that are billed by the length of the recording. */
function durationOf(report: JsonObject): Reading {
  const seconds = quantity(report.seconds);
  return {
    promptTokens: null,
    completionTokens: null,
    totalTokens: null,
    classes: seconds === null ? null : { audio_seconds: seconds },
  };
}

function inputOf(report: JsonObject, total: number) {
  const parts = membersOf(report.input_tokens_details ?? report.input_token_details);
  const cachedParts = membersOf(parts.cached_tokens_details);
  return inputClasses({
    total,
    cached: count(parts.cached_tokens),
    cachedAudio: count(cachedParts.audio_tokens),
    cachedImage: count(cachedParts.image_tokens),
    written: count(parts.cache_write_tokens),
    audio: count(parts.audio_tokens),
    image: count(parts.image_tokens),
  });
}

function outputOf(report: JsonObject, total: number) {
  const told = report.output_tokens_details ?? report.output_token_details;
  const parts = membersOf(told);
  return outputClasses({
    total,
    reasoning: count(parts.reasoning_tokens),
    audio: count(parts.audio_tokens),
    image: count(parts.image_tokens) ?? (told === undefined && makesImages(report) ? total : null),
  });
}

/** Image models tell texts and images of the request apart; the older ones do not say that their output is all image. */
const makesImages = (report: JsonObject) => 'image_tokens' in membersOf(report.input_tokens_details);
