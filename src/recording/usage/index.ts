import { toolCalls } from '../../formats/responses/tool-calls.ts';
import type { TokenClasses } from '../../formats/usage/classes.ts';
import { count } from '../../formats/usage/counts.ts';
import type { Reading, UsageReader } from '../../formats/usage/reader.ts';
import { usageReaders } from '../../formats/usage.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { AnswerText } from './answer-text.ts';
import { type Report, reportsIn } from './reports.ts';

export type { TokenClasses } from '../../formats/usage/classes.ts';
export { type AnswerText, answerText } from './answer-text.ts';

/** The members of a log that tell the usage. */
export type TokenUsage = {
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  usageSource: 'provider' | null;
  tokenClasses: TokenClasses | null;
};

/** What an answer says that it took, and on which terms. */
export type Usage = {
  counts: TokenUsage;
  /** What changes the prices of the call, e.g. `flex`, `batch` or `fast`. */
  terms: readonly string[];
};

const names = [...new Set(usageReaders.flatMap((reader) => reader.names))];

const nothing: TokenUsage = {
  promptTokens: null,
  completionTokens: null,
  totalTokens: null,
  usageSource: null,
  tokenClasses: null,
};
export const noUsage: Usage = { counts: nothing, terms: [] };

/** The usage that an answer reports, a JSON body or an event stream. Null members where the provider did not say. */
export function findUsage({ text, isStream }: AnswerText): Usage {
  const reports = reportsIn(text, names);
  const last = reports.findLast(readerOf);
  const reader = last && readerOf(last);
  if (!reader) return noUsage;
  const reading = isStream && reader.isWhole ? readParts(reader, reports, text) : reader.read(last.members);
  return { counts: countsOf(reading, text), terms: termsOf(reading, text) };
}

/** The model that an answer names, which may be more exact than the one that was asked for. */
export const answeredModel = ({ text }: AnswerText): string | null =>
  lastMatch(text, /"model(?:Version)?"\s*:\s*"([^"\\]{1,256})"/g);

const readerOf = ({ name, members }: Report): UsageReader | undefined =>
  usageReaders.find((reader) => reader.names.includes(name) && reader.matches(members));

/** Lays the frames of a stream over each other. */
function readParts(reader: UsageReader, reports: readonly Report[], text: string): Reading {
  const whole: JsonObject = {};
  for (const report of reports) {
    if (readerOf(report) !== reader) continue;
    for (const [name, value] of Object.entries(report.members)) if (value !== null) whole[name] = value;
  }
  const reading = reader.read(whole);
  // The stream broke off: what the first frame says of the output is a beginning.
  return reader.isWhole?.(text)
    ? reading
    : { ...reading, completionTokens: null, totalTokens: null, classes: null };
}

function countsOf(reading: Reading, text: string): TokenUsage {
  const { promptTokens, completionTokens, totalTokens, classes } = reading;
  const counted = [promptTokens, completionTokens, totalTokens].some((each) => each !== null);
  if (!counted && (classes === null || Object.keys(classes).length === 0)) return nothing;
  return {
    promptTokens,
    completionTokens,
    totalTokens: count(totalTokens),
    usageSource: 'provider',
    tokenClasses: classes && { ...classes, ...toolCalls(text) },
  };
}

const standardTiers = ['default', 'standard', 'auto', 'on_demand', 'unspecified'];

function termsOf({ terms = [] }: Reading, text: string): string[] {
  if (!text.includes('"service')) return terms;
  const named = lastMatch(text, /"service_?[tT]ier"\s*:\s*(?:\{\s*"type"\s*:\s*)?"([\w-]{1,32})"/g);
  const tier = named?.toLowerCase().replace('service_tier_', '') ?? null;
  return tier === null || standardTiers.includes(tier) ? terms : [...terms, tier];
}

function lastMatch(text: string, pattern: RegExp): string | null {
  let last: string | null = null;
  for (const match of text.matchAll(pattern)) last = match[1] ?? null;
  return last;
}
