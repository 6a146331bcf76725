import type { RestException } from './exception.ts';

/** Every path that is answered by code rather than by a document. */
export const exceptions: RestException[] = [];
