import type { GuardrailCheck } from '../check.ts';
import { contains } from './text/contains.ts';
import { regexMatch } from './text/regex-match.ts';
import { regexReplace } from './text/regex-replace.ts';
import { wordCount } from './text/word-count.ts';

/** All kinds of checks. A new one is a file of its own in a folder here, and its place in this list. */
export const allChecks: readonly GuardrailCheck[] = [regexMatch, regexReplace, wordCount, contains];

const byId = new Map(allChecks.map((check) => [check.id, check]));

export const checkOf = (id: string): GuardrailCheck | undefined => byId.get(id);
