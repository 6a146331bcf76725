import { HEADER_VALUE, PATH_PART, type Setting } from '../../setting.ts';

/** The version and the betas of Anthropic's format, at every provider of Claude. */
export const settings = {
  anthropic_version: { byRequest: true, pattern: PATH_PART },
  anthropic_beta: { byRequest: true, pattern: HEADER_VALUE },
} satisfies Record<string, Setting>;
