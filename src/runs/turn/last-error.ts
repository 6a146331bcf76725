import { redactText } from '../../lib/redaction.ts';
import type { RunError } from '../run.ts';

/** Characters of what a provider says that a run shows. */
const MAX_CHARACTERS = 1000;

const codes: Record<number, RunError['code']> = {
  400: 'invalid_prompt',
  412: 'rate_limit_exceeded',
  413: 'invalid_prompt',
  422: 'invalid_prompt',
  429: 'rate_limit_exceeded',
  446: 'invalid_prompt',
};

/** Why a call of the model failed, as a run says it. */
export const errorOfAnswer = (status: number, message: string): RunError => ({
  code: codes[status] ?? 'server_error',
  message: shown(message || `The model's provider answered ${status}.`),
});

export const serverError = (message: string): RunError => ({ code: 'server_error', message: shown(message) });

const shown = (text: string): string => redactText(text).slice(0, MAX_CHARACTERS);

/** The message and the code of an error body, as far as it has one. */
export function errorIn(body: string): { message: string; code: string | null } {
  try {
    const { error, message } = JSON.parse(body) as {
      error?: { message?: unknown; code?: unknown };
      message?: unknown;
    };
    const said = error?.message ?? message;
    return {
      message: typeof said === 'string' ? said : '',
      code: typeof error?.code === 'string' ? error.code : null,
    };
  } catch {
    // A proxy in between answers pages.
    return { message: body, code: null };
  }
}
