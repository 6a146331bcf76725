import type { GuardrailCheck } from '../../check.ts';
import { judge } from './judge.ts';
import { moderateContent } from './moderation.ts';
import { similarity } from './similarity.ts';

/** Checks that ask models through the gateway itself. */
export const modelChecks: readonly GuardrailCheck[] = [moderateContent, similarity, judge];
