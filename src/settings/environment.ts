import { z } from 'zod';
import { codeInterpreterSettings } from './assistants/code-interpreter.ts';
import { runSettings } from './assistants/runs.ts';
import { threadSettings } from './assistants/threads.ts';
import { vectorStoreSettings } from './assistants/vector-stores.ts';
import { cacheSettings } from './cache.ts';
import { corsOrigins } from './cors.ts';
import { contentSettings, exportSettings, fileSettings } from './exports.ts';
import { graphSettings } from './graph/graph.ts';
import { remoteSubgraphs } from './graph/remote-subgraphs.ts';
import { headerSettings } from './headers.ts';
import type { House } from './house.ts';
import { cloudIdentitySettings } from './identity/cloud-identity.ts';
import { consoleOidc } from './identity/console-oidc.ts';
import { jwtIssuers } from './identity/jwt-issuers.ts';
import { secretManagerSettings } from './identity/secret-managers.ts';
import { limitSettings } from './limits.ts';
import { mailSettings } from './mail.ts';
import { mcpSettings } from './mcp.ts';
import { nameList } from './name-list.ts';
import { proxySettings } from './proxies.ts';
import { traceSettings } from './traces.ts';
import { flag, headerSecret, integer, wholeNumber } from './values.ts';

// Secrets that travel in a header.
const encryptionKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64, e.g. from `openssl rand -base64 32`');

// Under `x-request-` or `x-forwarded-` other parties send headers of their own.
const headerPrefix = z.string().regex(/^x-(?!gateway-|request-|forwarded-)[a-z0-9_-]*[a-z0-9_]-$/, {
  error: ({ input }) =>
    `${JSON.stringify(input)} is no prefix such as x-other-gateway- (not of x-gateway-, x-request-, x-forwarded-)`,
});

/**
 * Every environment variable that is read, with its check, its default and its meaning. docs/reference/settings.md is made
 * from it; `unset` says there what holds without the variable, where that is no fixed value.
 */
export const environmentOf = (house: House) =>
  z.object({
    HOST: z.string().default('127.0.0.1').describe('address to listen on'),
    PORT: integer(8787, 0, 65535).describe('port to listen on'),
    WORKERS: integer(1, 1, 256).describe(
      'processes that answer requests, beside one that keeps the store and watches over them: one ' +
        'for each core that they may take',
    ),
    SUBGRAPHS: nameList.optional().meta({
      unset: 'all',
      description:
        'comma list of the built-in subgraphs that this process serves in its graph and over REST; ' +
        'entities of the others are answered as their id alone',
    }),
    SUBGRAPH_SECRET: headerSecret
      .optional()
      .describe(
        'opens `/subgraphs/<name>/graphql` to a federation router that sends it as ' +
          '`x-gateway-router-secret`; 32 characters at least',
      ),
    SUBGRAPH_HOST: z.string().default('127.0.0.1').describe('address of `SUBGRAPH_PORT`'),
    SUBGRAPH_PORT: wholeNumber(0, 65535)
      .optional()
      .describe(
        'opens the endpoints of `SUBGRAPH_SECRET` on a port of their own instead, to everybody who reaches it unless ' +
          '`SUBGRAPH_SECRET` is set too',
      ),
    HEADER_PREFIX_ALIASES: z
      .string()
      .transform((text) => text.split(',').map((prefix) => prefix.trim().toLowerCase()))
      .pipe(z.array(headerPrefix).max(5, 'takes at most 5 prefixes'))
      .default([])
      .describe('comma list of up to five prefixes, such as `x-portkey-`, that stand for `x-gateway-`'),
    DATA_DIR: z
      .string()
      .default('./data')
      .describe(
        'embedded store, `bootstrap.json`, `encryption.key`, spool files and reserve, notes on the ' +
          'audit trail, log exports, files',
      ),
    MONGODB_URI: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://')
      .optional()
      .describe(
        "MongoDB (5.0 or newer) to use in place of the embedded store, with the database's name in " +
          'its path; without one it is `test`, as everywhere',
      ),
    ENCRYPTION_KEY: encryptionKey
      .optional()
      .describe(
        '32 bytes in base64 that protect all stored secrets; without it `DATA_DIR/encryption.key`, ' +
          'made on the first start on a new database and never again. Processes that share a database ' +
          'must share it',
      ),
    MAX_BODY_BYTES: integer(100 * 1024 * 1024, 1024, 2 ** 31).describe('bytes of the largest request body'),
    MAX_JSON_BYTES: integer(16 * 1024 * 1024, 1024, 2 ** 29).describe(
      'bytes of the largest JSON body that is read; on proxied paths a larger one passes unread',
    ),
    MAX_REPLAY_BYTES: integer(10 * 1024 * 1024, 0, 2 ** 30).describe(
      'a body that is not JSON and larger than this, in bytes, is streamed to the provider once, without ' +
        'retries or fallback',
    ),
    BODY_MEMORY_BYTES: integer(256 * 1024 * 1024, 1024 * 1024, 2 ** 36).describe(
      'bytes of request bodies that one process holds in memory at a time, and by that what each caller may ' +
        'hold: see docs/security.md',
    ),
    MAX_OPEN_CALLS: wholeNumber(1, 1_000_000)
      .optional()
      .meta({
        unset: 'from the limit of open files',
        description:
          'calls that one process may have on their way to providers; by default two fifths of `ulimit ' +
          '-n`, since each holds two connections',
      }),
    MAX_OPEN_CALLS_PER_KEY: wholeNumber(1, 1_000_000)
      .optional()
      .meta({
        unset: '`4000`',
        description:
          'the same of one key, in one process; by default never more than three quarters of ' +
          '`MAX_OPEN_CALLS`',
      }),
    ...limitSettings,
    CONNECT_TIMEOUT_MS: integer(10_000, 100, 300_000).describe(
      'milliseconds that the TCP and TLS handshake with a provider may take',
    ),
    PROVIDER_REDIRECTS: z
      .enum(['pass', 'refuse'])
      .default('pass')
      .describe(
        'redirects to other places on paths that are passed on: `pass` gives them to the caller, ' +
          '`refuse` answers 502',
      ),
    TRUSTED_HOSTS: z
      .string()
      .optional()
      .meta({
        unset: 'this machine, where nobody else reaches the gateway',
        description:
          'comma list of private hosts that may be named as custom host (`host`, `*.domain`, address). ' +
          'By default this machine is trusted only while `HOST` is a loopback address, `PUBLIC_URL` ' +
          'names no other machine, and `NODE_ENV` is not `production`',
      }),
    ...cacheSettings(house),
    ...vectorStoreSettings,
    SAVED_CONFIGS_ONLY: flag(false).describe(
      '`true`: requests may name configs, providers and hosts only by what is saved: see ' +
        'docs/configs.md',
    ),
    CORS_ORIGINS: corsOrigins
      .default([])
      .describe(
        'comma list of origins, such as `https://dashboard.example.com`, whose pages may call from a ' +
          'browser, or `*`; without it no page may',
      ),
    ...headerSettings,
    LOG_BODIES: z
      .enum(['full', 'none'])
      .default('full')
      .describe('`none` stores no headers and bodies of requests'),
    // Five bodies and their escapes must fit into one document of the database.
    LOG_BODY_MAX_BYTES: integer(64 * 1024, 0, 512 * 1024).describe(
      'bytes of each body that are stored; at most 524288',
    ),
    LOG_RETENTION_DAYS: integer(90, 1, 3650).describe('days after which a request log is removed'),
    LOG_BODY_RETENTION_DAYS: integer(30, 1, 3650).describe(
      'days after which the headers and bodies of a log are removed',
    ),
    ...exportSettings,
    ...contentSettings,
    ...fileSettings,
    ...codeInterpreterSettings,
    ...runSettings,
    ...threadSettings,
    ...graphSettings,
    REMOTE_SUBGRAPHS: remoteSubgraphs(house)
      .optional()
      .describe(
        'JSON list of subgraphs that other services answer: `name`, `url`, `headers`, `timeout_ms` ' +
          '(5000), `forward_headers`; see docs/graph.md',
      ),
    REMOTE_SUBGRAPH_POLL_MS: integer(10_000, 50, 3_600_000).describe(
      'milliseconds between two questions to a remote subgraph for its SDL',
    ),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional()
      .describe(
        'where callers reach this installation, e.g. `https://ai.example.com`; without it links in ' +
          'invites and exports, and the issuer of access tokens, name the address of the listener at ' +
          'which a request came in: a Host header counts only where it is `localhost` or another ' +
          'loopback address. Set it wherever a proxy, a container or a name stands in front',
      ),
    ...mcpSettings,
    ...proxySettings,
    SERVICE_ACCOUNT_DOMAIN: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain in lower case')
      .max(100)
      .default('sluice.local')
      .describe(
        'domain in the names of service accounts, `<name>@<tsg_id>.iam.<domain>`; decide before the first start',
      ),
    JWT_ISSUERS: jwtIssuers
      .optional()
      .describe(
        'JSON list of identity providers whose JWTs are taken in place of gateway keys: `issuer`, ' +
          '`jwks_url`, `organisation_id`, `audience` (any); see docs/identity.md',
      ),
    ...mailSettings,
    CONSOLE: z
      .enum(['on', 'off'])
      .default('on')
      .describe('`off`: there is no console, and nobody signs in with a browser'),
    CONSOLE_DIR: z.string().optional().meta({
      unset: '`console/dist` beside the sources',
      description: 'folder with the built web console, which `npm start` builds',
    }),
    CONSOLE_OIDC: consoleOidc
      .optional()
      .describe(
        'JSON of the identity provider at which people sign in to the console: `issuer`, `client_id`, ' +
          '`client_secret`, `allowed_domains`, `create_members` (false), `group_roles`, `groups_claim` (`groups`), ' +
          '`scope` (`openid email profile`), `organisation_id` (the first one); see docs/identity.md',
      ),
    METRICS_TOKEN: headerSecret
      .optional()
      .describe(
        'shows `/metrics` and the details of `/readyz` to whoever sends it as `Authorization: ' +
          'Bearer`; 32 characters at least. Without it only programs on this machine see them',
      ),
    ...cloudIdentitySettings,
    ...secretManagerSettings,
    ...traceSettings,
    LOG_LEVEL: z
      .enum(['silent', 'error', 'warn', 'info', 'debug'])
      .default('info')
      .describe('`silent`, `error`, `warn`, `info`, `debug`: JSON lines on standard error'),
    DRAIN_DELAY_MS: integer(5000, 0, 600_000).describe(
      'milliseconds after SIGTERM in which requests are still answered while `/readyz` is 503, so that load balancers look elsewhere',
    ),
    SHUTDOWN_TIMEOUT_MS: integer(10_000, 0, 600_000).describe(
      'milliseconds that open requests may go on once no new ones are taken',
    ),
    NODE_ENV: z
      .string()
      .optional()
      .describe(
        '`production` trusts no private host by default, whatever `HOST` is, shows no Apollo Sandbox ' +
          'unless `GRAPHQL_SANDBOX=true`, and `npm start` leaves development packages out',
      ),
  });

/** The values of the environment, checked and converted. */
export type EnvironmentValues = z.infer<ReturnType<typeof environmentOf>>;
