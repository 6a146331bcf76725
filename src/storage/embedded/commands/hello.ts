import { freemem, hostname, totalmem } from 'node:os';
import { sessionMinutes } from '../sessions.ts';
import { maximumMessage } from '../wire.ts';
import type { Command } from './command.ts';

/** The version whose behaviour is followed; maxWireVersion 25 belongs to it. */
const version = '8.0.0';
const maxWireVersion = 25;
const startedAt = Date.now();

let nextConnectionId = 1;

/** Says "standalone": no setName and no topologyVersion, so that drivers neither retry writes nor stream monitoring. */
const greet = (legacy: boolean): Command => ({
  fields: null,
  run: () => ({
    ...(legacy ? { ismaster: true } : { isWritablePrimary: true }),
    helloOk: true,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: maximumMessage,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: sessionMinutes,
    connectionId: nextConnectionId++,
    minWireVersion: 0,
    maxWireVersion,
    readOnly: false,
    ok: 1,
  }),
});

const constant = (reply: () => Record<string, unknown>): Command => ({
  fields: null,
  run: () => ({ ...reply(), ok: 1 }),
});

const buildInfo = constant(() => ({
  version,
  gitVersion: 'embedded',
  modules: [],
  allocator: 'system',
  javascriptEngine: 'none',
  sysInfo: 'deprecated',
  versionArray: [...version.split('.').map(Number), 0],
  bits: 64,
  debug: false,
  maxBsonObjectSize: 16 * 1024 * 1024,
  storageEngines: ['sqlite'],
}));

/** Commands by which a driver finds out whom it talks to. */
export const helloCommands: Record<string, Command> = {
  hello: greet(false),
  isMaster: greet(true),
  ismaster: greet(true),
  ping: constant(() => ({})),
  buildInfo,
  buildinfo: buildInfo,
  connectionStatus: constant(() => ({
    authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] },
  })),
  endSessions: {
    fields: null,
    run({ store, body }) {
      store.sessions.end(body.endSessions);
      return { ok: 1 };
    },
  },
  refreshSessions: constant(() => ({})),
  hostInfo: constant(() => ({
    system: { hostname: hostname(), memSizeMB: Math.round(totalmem() / 1048576) },
  })),
  getParameter: constant(() => ({ featureCompatibilityVersion: { version: '8.0' } })),
  getCmdLineOpts: constant(() => ({ argv: [], parsed: {} })),
  getLog: constant(() => ({ totalLinesWritten: 0, log: [] })),
  serverStatus: {
    fields: null,
    run: ({ store }) => ({
      host: hostname(),
      version,
      process: 'embedded',
      pid: process.pid,
      uptime: Math.round((Date.now() - startedAt) / 1000),
      localTime: new Date(),
      globalLock: { activeClients: { readers: store.readers.active } },
      metrics: { cursor: { open: { total: store.cursors.size } } },
      mem: {
        resident: Math.round(process.memoryUsage.rss() / 1048576),
        free: Math.round(freemem() / 1048576),
      },
      storageEngine: { name: 'sqlite', supportsCommittedReads: false, persistent: true },
      ok: 1,
    }),
  },
};
