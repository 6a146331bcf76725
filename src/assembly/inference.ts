import type { Connection } from 'mongoose';
import type { Sleep } from '../auth/index.ts';
import { createEmbedder } from '../dataplane/cache/embedder.ts';
import { createEntries } from '../dataplane/cache/entries.ts';
import { createCache } from '../dataplane/cache/index.ts';
import { OpenCalls, openCallLimits } from '../dataplane/call/open-calls.ts';
import type { DataplaneDependencies } from '../dataplane/dependencies.ts';
import { createCheckHouse } from '../dataplane/guardrails/house.ts';
import { createLimiting } from '../dataplane/limits/limiting.ts';
import { createModelCalls } from '../dataplane/model-calls.ts';
import { createHttpUpstream } from '../dataplane/send/http.ts';
import { createBreakers } from '../dataplane/strategy/breaker/index.ts';
import { createStickyTargets } from '../dataplane/strategy/sticky.ts';
import { createHostPolicy, ownHosts } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import { maxOpenFiles } from '../lib/open-files.ts';
import type { LimitEngine } from '../limits/engine.ts';
import { createOwnIdentity } from '../providers/index.ts';
import { createSecretManagers } from '../secret-managers/index.ts';
import { createSecretMemory } from '../secret-managers/memory.ts';
import type { Settings } from '../settings/index.ts';
import { nativeDb } from '../storage/native-db.ts';

type Given = Pick<DataplaneDependencies, 'authenticate' | 'directory' | 'requestLog' | 'bodies'> & {
  settings: Settings;
  limitEngine: LimitEngine;
  /** The ports on which this process listens; they are added when it begins to listen. */
  ownPorts: ReadonlySet<number>;
  db: Connection;
  sleep: Sleep;
  now: () => Date;
  log: Logger;
};

/** What requests to providers need. */
export function createInference(given: Given) {
  const { settings, ownPorts, db, sleep, now, log } = given;
  const hostPolicy = createHostPolicy(
    settings.upstream.trustedHosts,
    ownHosts(settings.listen, settings.identity.publicUrl),
  );
  const http = createHttpUpstream({
    hostPolicy,
    ownPorts,
    connectTimeout: settings.upstream.connectTimeout,
  });
  const secretManagers = createSecretManagers(settings.secretManagers, hostPolicy, http.fetch);
  const { embeddings, memoryBytes, threshold, maxAge } = settings.cache;
  const inference = {
    authenticate: given.authenticate,
    directory: given.directory,
    requestLog: given.requestLog,
    bodies: given.bodies,
    http,
    secretManagers,
    secretMemory: createSecretMemory(secretManagers, settings.secretManagers, log),
    hostPolicy,
    identity: settings.upstream.cloudIdentity && createOwnIdentity(settings.upstream.cloudIdentity),
    redirects: settings.upstream.redirects,
    breakers: createBreakers(db, { now, log }),
    sticky: createStickyTargets(db, { now, log }),
    cache: createCache({
      entries: createEntries(() => nativeDb(db), { memoryBytes, now, log }),
      embedder: embeddings && createEmbedder(embeddings, http),
      threshold,
      maxAge,
      now,
      log,
    }),
    random: Math.random,
    streams: { count: 0 },
    checkHouse: createCheckHouse({
      http,
      hostPolicy,
      callModel: createModelCalls((): DataplaneDependencies => inference),
      log,
    }),
    openCalls: new OpenCalls(openCallLimits(settings.openCalls, maxOpenFiles())),
    savedConfigsOnly: settings.savedConfigsOnly,
    maxLoggedBytes: settings.requestLogs.maxBodyBytes,
    limits: settings.limits,
    limiting: createLimiting(given.limitEngine, settings.callLimits.defaultOutputCap, log),
    headers: settings.headers,
    log,
    sleep,
  };
  return inference;
}
