import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import {
  createOauth2,
  createReference,
  createRest,
  createScim,
  describeRest,
  operationFiles,
  type Surfaces,
  splitOperations,
} from '../../../rest-compat/index.ts';
import type { Principal, Throttle } from '../../auth/index.ts';
import {
  createGraph,
  createGraphHttp,
  createOperations,
  createRemotes,
  createSafety,
  createStandalone,
  createSubscriptions,
  type Graph,
  type Knock,
  readSources,
  type TrustedDocuments,
} from '../../graph/index.ts';
import type { HeaderAliases } from '../../http/header-aliases.ts';
import type { BodyBudget } from '../../lib/bodies/index.ts';
import type { Logger } from '../../lib/logger.ts';
import { defaultGraphLimits } from '../../settings/graph/graph-limits.ts';
import type { Settings } from '../../settings/index.ts';
import type { Changes } from '../../storage/changes.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { type Served, servedSubgraphs } from '../../subgraphs/served.ts';
import { lookAfterChanges } from './credential-changes.ts';

type Options = {
  settings: Settings;
  /**
   * Makes the check of a door. The check throws UNAUTHENTICATED for a wrong credential and answers null without a
   * credential.
   */
  authenticate(door: string): (knock: Knock) => Promise<Principal | null>;
  /** The same check for the console, which takes sign-ins alone. */
  authenticateSignIn(knock: Knock): Promise<Principal | null>;
  /** The only documents that the console's graph runs; null for any. */
  consoleDocuments: TrustedDocuments | null;
  /** Takes access tokens alone; throws INVALID_AUTHORISATION for anything else. */
  authenticateAccount(knock: Knock): Promise<Principal>;
  throttle: Throttle;
  changes: Pick<Changes, 'subscribe'>;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  bodies: BodyBudget;
  aliases: HeaderAliases;
  log: Logger;
};

/** The graph, and every door that opens on it: GraphQL over HTTP, WebSocket and event streams, routers, REST. */
export function createDoors(options: Options) {
  const { settings, authenticate, authenticateSignIn, authenticateAccount } = options;
  const { throttle, createContext, bodies, aliases, log } = options;
  const served = servedSubgraphs(subgraphs, settings.subgraphs.served);
  const graph = createGraph(readSources(served.subgraphs), served.elsewhere);
  const { trustedDocuments } = settings.graph;
  const safety = createSafety(
    settings.graph,
    trustedDocuments === null
      ? null
      : {
          manifest: readFileSync(trustedDocuments, 'utf8'),
          // The types of remote subgraphs are known only after the start, so the manifest cannot be checked against
          // them.
          schema: settings.remoteSubgraphs.list.length === 0 ? graph.schema : null,
        },
  );
  const { list, pollInterval } = settings.remoteSubgraphs;
  const remoteDirectory = join(settings.storage.dataDirectory, 'subgraphs');
  const remotes =
    list.length > 0
      ? createRemotes({ graph, list, pollInterval, directory: remoteDirectory, log })
      : undefined;
  const graphDoor = { safety, authenticate: authenticate('graph'), createContext, bodies, log };
  const authenticateStream = authenticate('stream');
  const subscriptions = createSubscriptions({
    graph,
    served: remotes,
    ...graphDoor,
    authenticate(knock) {
      // A credential may also come in a message, where no listener has seen it.
      aliases.adopt({ headers: knock.headers, rawHeaders: [] });
      return authenticateStream(knock);
    },
  });
  const graphHttp = createGraphHttp({
    graph,
    served: remotes,
    streams: subscriptions.streams,
    sandbox: settings.graph.sandbox,
    ...graphDoor,
  });
  // The settings bound what callers write; what the console asks fits the defaults.
  const consoleLimits = { ...settings.graph, ...defaultGraphLimits, timeout: settings.graph.timeout };
  const consoleSafety = createSafety(consoleLimits, options.consoleDocuments);
  const atConsole = { ...graphDoor, safety: consoleSafety, authenticate: authenticateSignIn };
  const consoleSubscriptions = createSubscriptions({ graph, served: remotes, ...atConsole });
  lookAfterChanges(options.changes, [subscriptions, consoleSubscriptions]);
  const consoleGraph = createGraphHttp({
    graph,
    served: remotes,
    streams: consoleSubscriptions.streams,
    sandbox: false,
    ...atConsole,
  });
  const { routerSecret, listen: ownListener } = settings.subgraphs;
  const standalone =
    routerSecret !== null || ownListener !== null
      ? createStandalone({
          subgraphs: graph.subgraphs,
          routerSecret,
          throttle,
          ...graphDoor,
          authenticate: authenticate('subgraph'),
          // A router sends parts of the trusted documents, which have hashes of their own.
          safety: createSafety(settings.graph),
        })
      : null;
  const surfaces: Surfaces = {
    V1: { prefix: '/v1', authenticate: authenticate('rest') },
    V2: { prefix: '/v2', authenticate: authenticateAccount },
    ADMIN_V2: { prefix: '/admin/v2', authenticate: authenticateAccount },
    IAM_V1: { prefix: '/iam/v1', authenticate: authenticateAccount },
    V0_1: { prefix: '/v0.1', authenticate: authenticate('rest') },
    ROOT: { prefix: '', authenticate: authenticate('rest') },
  };
  const rest = createRest({ graph, ...restOperations(graph, served), surfaces, createContext, bodies, log });
  const oauth2 = createOauth2({ createContext, authenticate: authenticate('token'), bodies, log });
  const identityIsServed = served.subgraphs.some(({ name }) => name === 'identity');
  const scim = identityIsServed
    ? createScim({ graph, createContext, authenticate: authenticate('scim'), bodies, log })
    : null;
  const reference = createReference(() => describeRest(graph.schema, rest, surfaces));
  return {
    operations: createOperations(graph),
    remotes,
    subscriptions: [subscriptions, consoleSubscriptions],
    handleUpgrade: subscriptions.handleUpgrade,
    graphHttp,
    consoleGraph,
    standalone,
    rest,
    oauth2,
    scim,
    reference,
  };
}

const restOperations = ({ schema }: Graph, { isWhole }: Served) =>
  // The split takes time, and it would take a mistake for an operation of another process.
  isWhole ? { operations: operationFiles() } : splitOperations(schema, operationFiles());
