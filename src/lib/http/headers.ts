import type { IncomingHttpHeaders } from 'node:http';

/** A header's value; the first when it was sent more than once. */
export const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'object' ? value[0] : value;
};
