import type { IncomingHttpHeaders } from 'node:http';
import { forwardedHeaders } from '../lines/credentials.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

/** Of a request's headers those that servers want of whoever sent it: the token of a person, and what is forwarded. */
export const headersOfPerson = (
  servers: readonly McpServerRecord[],
  headers: IncomingHttpHeaders,
): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) =>
      servers.some(({ upstream: { configurations } }) => {
        const isToken = configurations.jwt_validation?.headerKey.toLowerCase() === name;
        return isToken || Object.keys(forwardedHeaders(configurations, { [name]: value })).length > 0;
      }),
    ),
  );
