import { z } from 'zod';
import type { House } from '../house.ts';
import { jsonText, plainUrl } from '../json-setting.ts';

/** A subgraph that another service answers. */
export type RemoteSubgraph = {
  name: string;
  url: string;
  /** Sent with every request to it, e.g. a secret that shows it who asks. */
  headers: Record<string, string>;
  /** Milliseconds that one request to it may take. */
  timeout: number;
  /** Headers of the caller, lower case, that it gets too. */
  forwardHeaders: string[];
};

/** Headers that the gateway or the connection sets: what a remote is told about the caller must be true. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-gateway-organisation-id',
  'x-gateway-workspace-id',
  'x-request-id',
]);

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,128}$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase())
  .refine((name) => !ownHeaders.has(name), 'is a header that the gateway sets itself');

const headerValue = z
  .string()
  .max(8192)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

const remote = ({ isBuiltInSubgraph }: House) =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63')
      .refine((name) => !isBuiltInSubgraph(name), 'is the name of a built-in subgraph'),
    url: plainUrl,
    headers: z
      .record(headerName, headerValue)
      .refine((headers) => Object.keys(headers).length <= 50, 'must have at most 50 members')
      .default({}),
    timeout_ms: z.int().min(100).max(60_000).default(5_000),
    forward_headers: z.array(headerName).max(50).default([]),
  });

/** The environment variable's JSON as a list of remote subgraphs; every mistake in it is reported, values never are. */
export const remoteSubgraphs = (house: House) =>
  jsonText
    .pipe(z.array(remote(house)).max(20))
    .superRefine((remotes, { addIssue }) => {
      remotes.forEach(({ name }, index) => {
        if (remotes.findIndex((other) => other.name === name) === index) return;
        addIssue({ code: 'custom', path: [index, 'name'], message: 'is the name of an earlier one' });
      });
    })
    .transform((remotes) =>
      remotes.map(
        ({ timeout_ms: timeout, forward_headers: forwardHeaders, ...rest }): RemoteSubgraph => ({
          ...rest,
          timeout,
          forwardHeaders,
        }),
      ),
    );
