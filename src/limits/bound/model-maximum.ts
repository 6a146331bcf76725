/**
 * The most tokens that a model writes, for older models that refuse a larger cap. The first that matches counts; sources: the
 * model pages of OpenAI, Anthropic, Google, Cohere and DeepSeek.
 */
const maxima: readonly (readonly [RegExp, number])[] = [
  [
    /gpt-3\.5|gpt-4-(turbo|1106|0125|vision)|gpt-4o-2024-05-13|claude-(3-(opus|sonnet|haiku)|2|instant)/,
    4096,
  ],
  [/\bcommand\b|command-(r|light|nightly)|titan|embed/, 4000],
  [/gpt-4(-0\d{3}|-32k)?$|gemini-(1\.|2\.0)|deepseek-chat|claude-3-5|mixtral|llama-?[23]|command-a/, 8192],
  [/davinci|babbage/, 2048],
];

/** Null where none is known. */
export const modelMaximum = (model: string | null): number | null =>
  model === null ? null : (maxima.find(([pattern]) => pattern.test(model))?.[1] ?? null);
