import { createHash } from 'node:crypto';

/** 2026-01-01T00:00:00Z: every answer of the mock provider was "created" then, so that answers can be compared whole. */
export const CREATED = 1_767_225_600;

/** An id that depends on nothing but the request. */
export const idOf = (prefix: string, request: unknown): string =>
  `${prefix}-mock-${createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24)}`;

/** The mock provider's tokens are the words of a text. */
export const countTokens = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** The text of a message's content: a string, or the text parts of an array. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown } | null) => part?.text)
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n');
}

/** Words with the white space that follows them: joined again they are the text. */
export const wordsOf = (text: string): string[] => text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);

export function usageOf(prompt: string, answer: string) {
  const [promptTokens, completionTokens] = [countTokens(prompt), countTokens(answer)];
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** `stream_options: {include_usage: true}` asks for the usage as a last frame. */
export const wantsUsage = (body: Record<string, unknown>): boolean =>
  (body.stream_options as { include_usage?: unknown } | null | undefined)?.include_usage === true;

const MAX_DEPTH = 8;

/** A value that fits a JSON schema, the same every time: the first of an enum, the default, else the smallest of its type. */
export function exampleOf(schema: unknown, echo: string, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return null;
  const rules = schema as Record<string, unknown>;
  if ('const' in rules) return rules.const;
  if ('default' in rules) return rules.default;
  if (Array.isArray(rules.enum)) return rules.enum[0];
  const variants = rules.anyOf ?? rules.oneOf;
  if (Array.isArray(variants)) return exampleOf(variants[0], echo, depth + 1);
  const type = Array.isArray(rules.type) ? rules.type[0] : rules.type;
  if (type === 'object' || rules.properties) return exampleObject(rules, echo, depth);
  if (type === 'array') return [exampleOf(rules.items, echo, depth + 1)];
  if (type === 'string') return echo;
  if (type === 'integer' || type === 'number') return typeof rules.minimum === 'number' ? rules.minimum : 1;
  return type === 'boolean' ? true : null;
}

function exampleObject(rules: Record<string, unknown>, echo: string, depth: number): Record<string, unknown> {
  const properties = (rules.properties ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, exampleOf(member, echo, depth + 1)]),
  );
}
