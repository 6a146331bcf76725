import { parse } from 'graphql';
import type { Connection } from 'mongoose';
import type { Principal } from '../../src/auth/index.ts';
import { createGraph, type Graph, type SubgraphSource } from '../../src/graph/index.ts';
import type { AuditEntry } from '../../src/recording/audit/entry.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';

/** What a field is called with stands in the SDL of the test. */
type Resolver = (parent: any, args: any, context: GraphContext) => unknown;
type Small = Partial<Omit<SubgraphSource, 'files' | 'resolvers'>> & {
  sdl: string;
  resolvers?: Record<string, Record<string, Resolver>>;
};

/** A graph of small subgraphs written in the test. */
export const smallGraph = (...subgraphs: Small[]): Graph =>
  createGraph(
    subgraphs.map(({ sdl, name = 'small', ...rest }) => ({
      name,
      files: [{ path: `${name}.graphql`, text: sdl }],
      resolvers: {},
      references: {},
      ...rest,
    })),
  );

export const somebody = (members: Partial<Principal> = {}): Principal => ({
  kind: 'organisation-service',
  id: 'key-1',
  name: 'Test key',
  organisationId: 'org-1',
  workspaceId: null,
  userId: null,
  scopes: new Set(['configs.read', 'configs.create']),
  metadata: {},
  ...members,
});

export type Recorded = { audit: AuditEntry[]; logged: { members: unknown; message: unknown }[] };

/** A request context without a database; what is audited and logged is kept for the test to look at. */
export function smallContext(
  principal: Principal | null = somebody(),
): GraphContext & { recorded: Recorded } {
  const recorded: Recorded = { audit: [], logged: [] };
  const log = (members: unknown, message?: unknown) => void recorded.logged.push({ members, message });
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return {
    recorded,
    principal,
    memo: new Map(),
    request: {
      id: 'request-1',
      method: 'POST',
      path: '/graphql',
      query: '',
      headers: { 'user-agent': 'test', authorization: 'Bearer sk-0123456789abcdef0123' },
      clientIp: '127.0.0.1',
      arrivedAt: () => 'http://127.0.0.1',
    },
    audit: { record: async (entry: AuditEntry) => void recorded.audit.push(entry), replay: async () => 0 },
    log: logger,
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    workspaceOwned: [],
    goingWithWorkspace: [],
    audited: new Map(),
    organisationOwned: [],
    changes: { publish: async () => undefined },
    db: {} as Connection,
    secrets: {},
  } as unknown as GraphContext & { recorded: Recorded };
}

export const run = (graph: Graph, text: string, context = smallContext(), variables = {}) =>
  graph.execute(parse(text), variables, context);
