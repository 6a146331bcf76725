import { z } from 'zod';
import { isSecretName } from '../lib/redaction.ts';
import { nameList } from './name-list.ts';

const headerName = z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'must be names of headers');

const headerNames = nameList
  .transform((names) => names.map((name) => name.toLowerCase()))
  .pipe(z.array(headerName).max(50, 'takes at most 50 names'));

/** Headers of requests that get a meaning by these settings; their names in lower case. */
export const headerSettings = {
  HEADERS_TO_METADATA: headerNames
    .refine((names) => !names.some(isSecretName), 'must name no header that carries a secret')
    .default([]),
  HEADERS_TO_MASK: headerNames.default([]),
  HEADERS_TO_IGNORE: headerNames.default([]),
};
