import { HEADER_VALUE, PATH_PART, type Setting } from '../../setting.ts';

/** Versions of Anthropic's format, wherever Claude is asked (section 1.2). */
export const settings = {
  anthropic_version: { byRequest: true, pattern: PATH_PART },
  anthropic_beta: { byRequest: true, pattern: HEADER_VALUE },
} satisfies Record<string, Setting>;
