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
    .default([])
    .describe(
      'comma list of request headers whose values become metadata of their request, under their ' +
        'names in lower case',
    ),
  HEADERS_TO_MASK: headerNames
    .default([])
    .describe('comma list of headers whose values no log shows, beside those that look like secrets'),
  HEADERS_TO_IGNORE: headerNames
    .default([])
    .describe('comma list of headers that proxied requests do not take to their provider'),
};
