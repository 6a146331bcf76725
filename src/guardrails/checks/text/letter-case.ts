import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';

const parameters = z.strictObject({ ...negatable, ...failable });

/** A letter of the other case is a fault where it stands; that there is none shows only at the end. */
const reach = ({ not }: { not: boolean }) => (not ? null : 1);

/** How a text would read if it were decoded has no bearing on it. */
const detects = () => false;

export const allUpperCase = defineCheck({
  id: 'default.alluppercase',
  aliases: ['default.isAllUpperCase'],
  description: 'Passes when every ASCII letter of the text is a capital.',
  phases: ['input', 'output'],
  parameters,
  reach,
  detects,
  prepare:
    ({ not }) =>
    ({ text }) => ({ verdict: !/[a-z]/.test(text) !== not, data: { not } }),
});

export const allLowerCase = defineCheck({
  id: 'default.alllowercase',
  aliases: ['default.isAllLowerCase'],
  description: 'Passes when no ASCII letter of the text is a capital.',
  phases: ['input', 'output'],
  parameters,
  reach,
  detects,
  prepare:
    ({ not }) =>
    ({ text }) => ({ verdict: !/[A-Z]/.test(text) !== not, data: { not } }),
});
