import { extractions } from './extraction.ts';
import { inLanguages } from './languages.ts';
import { disguises } from './markup.ts';
import { overrides } from './override.ts';
import type { InjectionSign } from './sign.ts';

export const injectionSigns: readonly InjectionSign[] = [
  ...overrides,
  ...extractions,
  ...disguises,
  ...inLanguages,
];
