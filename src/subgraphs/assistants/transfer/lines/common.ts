import { z } from 'zod';

/** Characters of any text at most; a line has a bound of its own. */
const MAX_TEXT = 1_000_000;

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

export const text = z.string().max(MAX_TEXT);
export const id = z.string().min(1).max(255);
export const seconds = z.int().min(0).max(LAST_SECOND);
export const anyJson = z.unknown().optional();

/** A moment that may be absent, as the store has it. */
export const moment = seconds.nullish().transform((value) => (value == null ? null : new Date(value * 1000)));

const tokens = z.int().min(0);
export const usage = z
  .object({ prompt_tokens: tokens, completion_tokens: tokens })
  .nullish()
  .transform((value) =>
    value == null ? null : { promptTokens: value.prompt_tokens, completionTokens: value.completion_tokens },
  );

export const runError = z
  .object({ code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']), message: text })
  .nullish()
  .transform((value) => value ?? null);
