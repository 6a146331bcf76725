import type { GuardrailCheck } from '../../check.ts';
import { gibberish } from './gibberish.ts';
import { language } from './language.ts';

/** Checks of the language of a text. */
export const languageChecks: readonly GuardrailCheck[] = [language, gibberish];
