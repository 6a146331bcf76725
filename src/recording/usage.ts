export type TokenUsage = {
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  usageSource: 'provider' | null;
  tokenClasses: Record<string, number> | null;
};

const NONE: TokenUsage = {
  promptTokens: null,
  completionTokens: null,
  totalTokens: null,
  usageSource: null,
  tokenClasses: null,
};

/** Places that are looked at: the last may be cut off or nested in something else; hundreds are an attack. */
const CANDIDATES = 4;

/** What the graph can show as an Int; more is nonsense from a provider. */
const MOST = 2 ** 31 - 1;

const tokens = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : null;

/**
 * The token counts of an answer, from the end of its text: a JSON body or the last frames of an event stream. Looks for
 * the last `"usage": {...}` member instead of parsing the whole; quotes inside JSON strings are escaped, so the name with
 * bare quotes and a colon can only be a member. Null where the provider did not say.
 */
export function findUsage(text: string): TokenUsage {
  const pattern = /"usage"\s*:\s*\{/g;
  const starts = [...text.matchAll(pattern)].map((match) => match.index + match[0].length - 1);
  for (const start of starts.slice(-CANDIDATES).reverse()) {
    const usage = parseObjectAt(text, start);
    if (usage) return readUsage(usage);
  }
  return NONE;
}

function readUsage(usage: Record<string, unknown>): TokenUsage {
  const promptTokens = tokens(usage.prompt_tokens ?? usage.input_tokens);
  const completionTokens = tokens(usage.completion_tokens ?? usage.output_tokens);
  const sum =
    promptTokens === null && completionTokens === null ? null : (promptTokens ?? 0) + (completionTokens ?? 0);
  return {
    promptTokens,
    completionTokens,
    totalTokens: tokens(usage.total_tokens) ?? tokens(sum),
    usageSource: 'provider',
    tokenClasses: null,
  };
}

function parseObjectAt(text: string, start: number): Record<string, unknown> | null {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return tryParse(text.slice(start, index + 1));
  }
  return null;
}

function tryParse(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    // A provider's malformed JSON is the caller's to see; here it only means that there is no usage to record.
    return null;
  }
}
