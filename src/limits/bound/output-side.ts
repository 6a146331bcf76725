import { isObject, type JsonObject } from '../../lib/json.ts';

/** What a call can make a model write. */
export type OutputSide = {
  /** Answers that are asked for. */
  choices: number;
  /** Tokens of one answer, as the caller or its config says; null where nobody does. */
  cap: number | null;
  /** Tokens that may be billed beside the answers. */
  beside: number;
};

/** Endpoints whose models write text of a length that the caller can bound, and the member that a gateway's cap goes into. */
const capMembers: Readonly<Partial<Record<string, string>>> = {
  chatComplete: 'max_tokens',
  complete: 'max_tokens',
  messages: 'max_tokens',
  createResponse: 'max_output_tokens',
};

/** Whether the models of an endpoint write. */
export const writes = (endpoint: string): boolean => capMembers[endpoint] !== undefined;

/** Where the gateway's own cap stands: the newer models of those who invented the older name refuse that. */
export const capMember = (endpoint: string, provider: string): string | null =>
  endpoint === 'chatComplete' && newerNames.has(provider)
    ? 'max_completion_tokens'
    : (capMembers[endpoint] ?? null);

const newerNames: ReadonlySet<string> = new Set(['openai', 'azure-openai']);

export function outputSide(value: JsonObject): OutputSide {
  return {
    choices: Math.max(1, countOf(value.n) ?? 1, countOf(value.best_of) ?? 1),
    cap: capOf(value),
    beside: isObject(value.prediction) ? JSON.stringify(value.prediction).length : 0,
  };
}

/** The largest of the caps that are given: a provider may obey any of them. */
function capOf(value: JsonObject): number | null {
  const config = isObject(value.generationConfig) ? value.generationConfig : {};
  const inference = isObject(value.inferenceConfig) ? value.inferenceConfig : {};
  const given = [
    value.max_completion_tokens,
    value.max_tokens,
    value.max_output_tokens,
    config.maxOutputTokens,
    inference.maxTokens,
  ].flatMap((each) => countOf(each) ?? []);
  return given.length === 0 ? null : Math.max(...given);
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : null;
