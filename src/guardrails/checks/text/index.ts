import type { GuardrailCheck } from '../../check.ts';
import { characterCount } from './character-count.ts';
import { contains } from './contains.ts';
import { containsCode } from './contains-code.ts';
import { endsWith } from './ends-with.ts';
import { jsonKeys } from './json-keys.ts';
import { jsonSchema } from './json-schema.ts';
import { allLowerCase, allUpperCase } from './letter-case.ts';
import { notNull } from './not-null.ts';
import { regexMatch } from './regex-match.ts';
import { regexReplace } from './regex-replace.ts';
import { sentenceCount } from './sentence-count.ts';
import { wordCount } from './word-count.ts';

/** Checks of what a text is like. */
export const textChecks: readonly GuardrailCheck[] = [
  regexMatch,
  regexReplace,
  sentenceCount,
  wordCount,
  characterCount,
  allUpperCase,
  allLowerCase,
  endsWith,
  jsonSchema,
  jsonKeys,
  contains,
  containsCode,
  notNull,
];
