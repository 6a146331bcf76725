import type { GuardrailCheck } from '../check.ts';
import { wordCount } from './word-count.ts';

/** All kinds of checks. A new one is a file of its own here, and its place in this list. */
export const allChecks: readonly GuardrailCheck[] = [wordCount];

const byId = new Map(allChecks.map((check) => [check.id, check]));

export const checkOf = (id: string): GuardrailCheck | undefined => byId.get(id);
