import { credentialErrors } from './areas/credentials.ts';
import { limitErrors } from './areas/limits.ts';
import { providerErrors } from './areas/providers.ts';
import { requestErrors } from './areas/requests.ts';
import { resourceErrors } from './areas/resources.ts';
import { routingErrors } from './areas/routing.ts';
import { serviceErrors } from './areas/service.ts';
import type { ErrorEntry } from './entry.ts';

export type { ErrorEntry } from './entry.ts';

/** Every error that Sluice raises itself, once. docs/reference/errors.md is made from it. */
export const catalogue = {
  ...requestErrors,
  ...routingErrors,
  ...credentialErrors,
  ...resourceErrors,
  ...limitErrors,
  ...providerErrors,
  ...serviceErrors,
} satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof catalogue;
