import { setTimeout as wait } from 'node:timers/promises';
import { type ExecutionArgs, execute, type GraphQLSchema } from 'graphql';
import { Agent } from 'undici';
import type { Logger } from '../../lib/logger.ts';
import type { RemoteSubgraph } from '../../settings/graph/remote-subgraphs.ts';
import type { Graph } from '../composition/graph.ts';
import { type ServedGraph, servedAlone } from '../composition/served-graph.ts';
import type { Joined, join, RemoteSdl } from './join.ts';
import { createLastGood } from './last-good.ts';
import { remoteExecutor } from './remote-executor.ts';
import { withEntities } from './stitch/entities.ts';
import { joinedExecutor } from './stitch/execute-joined.ts';
import { localExecutor } from './stitch/local-executor.ts';
import type { SubgraphExecutor } from './stitch/stitched-schema.ts';
import { type WatchedRemote, watch } from './watched.ts';

/** `up`: it answers and its SDL is in use. `down`: it does not answer. `refused`: its SDL does not fit. */
export type RemoteState = 'up' | 'down' | 'refused';

export type Remotes = ServedGraph & {
  states(): Record<string, RemoteState>;
  /** Joins those that answer within a moment; the others join when they do. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Remote = {
  watched: WatchedRemote;
  execute: SubgraphExecutor;
  /** The newest SDL that the graph was composed with, or that was tried and refused. */
  tried: string | null;
  /** The SDL that is in the graph. */
  inUse: string | null;
  /** The SDL that worked last, also before a restart. */
  good: string | null;
};

type Options = {
  graph: Graph;
  list: readonly RemoteSubgraph[];
  /** Milliseconds between two looks at a remote's SDL. */
  pollInterval: number;
  /** Where the SDL that worked last is kept. */
  directory: string;
  log: Logger;
};

/** Milliseconds that a start waits for remote subgraphs. */
const START_PATIENCE = 1500;

/** Keeps the graph joined with its remote subgraphs: looks at their SDL again and again and swaps what callers see. */
export function createRemotes({ graph, list, pollInterval, directory, log }: Options): Remotes {
  const dispatcher = new Agent();
  const stopped = new AbortController();
  const lastGood = createLastGood(directory);
  const local = localExecutor(withEntities(graph));
  const remotes = list.map((settings): Remote => {
    const watched = watch(settings, { dispatcher, signal: stopped.signal, log });
    return { watched, execute: remoteExecutor(settings, dispatcher), tried: null, inUse: null, good: null };
  });
  const alone = servedAlone(graph);
  const executors = new WeakMap<GraphQLSchema, ServedGraph['execute']>();
  const listeners = new Set<() => void>();
  let joinGraph: typeof join | null = null;
  let current: Pick<ServedGraph, 'schema' | 'supergraphSdl'> = alone;
  let polls: Promise<unknown> = Promise.resolve();

  /** Composes anew: each remote with its newest SDL, else with the one that worked last, else without it. */
  function compose(): void {
    const accepted: RemoteSdl[] = [];
    let joined: Joined | null = null;
    for (const remote of remotes) {
      remote.tried = remote.watched.latest;
      remote.inUse = null;
      for (const sdl of new Set([remote.watched.latest, remote.good])) {
        if (sdl === null || remote.inUse !== null) continue;
        const candidate = { name: remote.watched.name, sdl, execute: remote.execute };
        const result = tryToJoin([...accepted, candidate]);
        if (!result) continue;
        joined = result;
        accepted.push(candidate);
        use(remote, sdl);
      }
    }
    serve(joined);
  }

  /** What was served until now is served on when anything goes wrong. */
  function recompose(): void {
    try {
      compose();
    } catch (error) {
      log.error({ error }, 'The graph could not be composed anew.');
    }
  }

  function tryToJoin(candidates: RemoteSdl[]): Joined | null {
    try {
      return joinGraph?.(graph, local, candidates) ?? null;
    } catch (error) {
      const subgraph = candidates.at(-1)?.name;
      log.error({ subgraph, error }, 'The SDL of a remote subgraph does not fit into the graph.');
      return null;
    }
  }

  function use(remote: Remote, sdl: string): void {
    remote.inUse = sdl;
    if (remote.good === sdl) return;
    remote.good = sdl;
    const subgraph = remote.watched.name;
    lastGood.write(subgraph, sdl).catch((error: unknown) => {
      log.error({ subgraph, error }, 'The SDL of a remote subgraph could not be kept.');
    });
  }

  function serve(joined: Joined | null): void {
    if (joined) executors.set(joined.schema, joinedExecutor(graph.schema, joined));
    current = joined ?? alone;
    for (const listener of listeners) listener();
    log.info({ subgraphs: states() }, 'The graph was composed with its remote subgraphs.');
  }

  const states = (): Record<string, RemoteState> =>
    Object.fromEntries(remotes.map((remote) => [remote.watched.name, stateOf(remote)]));

  return {
    get schema() {
      return current.schema;
    },
    get supergraphSdl() {
      return current.supergraphSdl;
    },
    execute: (args: ExecutionArgs) => (executors.get(args.schema) ?? execute)(args),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    states,
    async start() {
      // Stitching takes long to load, and most processes have no remote subgraphs.
      joinGraph = (await import('./join.ts')).join;
      for (const remote of remotes) remote.good = await lastGood.read(remote.watched.name);
      const looks = remotes.map(({ watched }) => watched.look());
      await Promise.race([Promise.all(looks), wait(START_PATIENCE, undefined, { ref: false })]);
      compose();
      const follow = async (remote: Remote, first: Promise<void> | undefined) => {
        const composeIfNew = () => {
          if (remote.watched.latest !== remote.tried) recompose();
        };
        await first;
        composeIfNew();
        await remote.watched.poll(pollInterval, composeIfNew);
      };
      polls = Promise.all(remotes.map((remote, index) => follow(remote, looks[index])));
    },
    async stop() {
      stopped.abort();
      await polls;
      await dispatcher.destroy();
    },
  };
}

function stateOf({ watched, inUse }: Remote): RemoteState {
  if (!watched.isReachable) return 'down';
  return watched.latest === inUse ? 'up' : 'refused';
}
