import { readFileSync } from 'node:fs';
import type { Remotes } from '../graph/index.ts';
import type { LogThread } from '../recording/log/thread/log-thread.ts';
import type { Settings } from '../settings/index.ts';
import { subgraphs } from '../subgraphs/index.ts';
import type { RunningFacts } from '../subgraphs/installation-facts.ts';
import { servedSubgraphs } from '../subgraphs/served.ts';

type Given = {
  settings: Settings;
  startedAt: Date;
  databaseUp: boolean;
  requestLog: Pick<LogThread, 'counters'>;
  remotes: Pick<Remotes, 'states'> | undefined;
};

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

/** How this process runs. Of the settings it says no address, path or name but the public one. */
export function runningFacts({ settings, startedAt, databaseUp, requestLog, remotes }: Given): RunningFacts {
  const own = servedSubgraphs(subgraphs, settings.subgraphs.served).subgraphs;
  return {
    version,
    startedAt,
    workers: settings.workers,
    retention: {
      logDays: settings.requestLogs.retentionDays,
      bodyDays: settings.requestLogs.bodyRetentionDays,
    },
    features: featuresOf(settings),
    databaseUp,
    logQueue: requestLog.counters,
    subgraphs: [
      ...own.map(({ name }) => ({ name, isRemote: false, state: 'up' as const })),
      ...Object.entries(remotes?.states() ?? {}).map(([name, state]) => ({ name, isRemote: true, state })),
    ],
    publicUrl: settings.identity.publicUrl,
  };
}

function featuresOf(settings: Settings): RunningFacts['features'] {
  const { routerSecret, listen } = settings.subgraphs;
  const isOn: Record<RunningFacts['features'][number], boolean> = {
    cloud_identity: settings.upstream.cloudIdentity !== null,
    console_oidc: settings.identity.consoleOidc !== null,
    export_bucket: settings.exports.bucket !== null,
    jwt_issuers: settings.identity.jwtIssuers.length > 0,
    log_bodies: settings.requestLogs.bodies === 'full',
    mail: settings.mailServer !== null,
    saved_configs_only: settings.savedConfigsOnly,
    semantic_cache: settings.cache.embeddings !== null,
    subgraph_door: routerSecret !== null || listen !== null,
    trace_collector: settings.traceCollector !== null,
    trusted_documents: settings.graph.trustedDocuments !== null,
  };
  return (Object.keys(isOn) as (keyof typeof isOn)[]).filter((name) => isOn[name]);
}
