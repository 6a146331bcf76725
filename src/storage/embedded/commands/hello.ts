import { hostname } from 'node:os';
import { sessionMinutes } from '../sessions.ts';
import type { Document } from '../value/types.ts';
import { maximumMessage } from '../wire.ts';
import type { Command, Request } from './command.ts';

/** The version whose behaviour is followed; maxWireVersion 25 belongs to it. */
const version = '8.0.0';
const maxWireVersion = 25;
const maxBsonObjectSize = 16 * 1024 * 1024;
const startedAt = Date.now();

let nextConnectionId = 1;

const answer = (reply: (request: Request) => Document): Command => ({
  fields: null,
  run: (request) => ({ ...reply(request), ok: 1 }),
});

/** Says "standalone": no setName and no topologyVersion, so that drivers neither retry writes nor stream monitoring. */
const greet = (role: string): Command =>
  answer(() => ({
    [role]: true,
    helloOk: true,
    maxBsonObjectSize,
    maxMessageSizeBytes: maximumMessage,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: sessionMinutes,
    connectionId: nextConnectionId++,
    minWireVersion: 0,
    maxWireVersion,
    readOnly: false,
  }));

const buildInfo = answer(() => ({
  version,
  gitVersion: 'embedded',
  modules: [],
  javascriptEngine: 'none',
  versionArray: [...version.split('.').map(Number), 0],
  bits: 64,
  debug: false,
  maxBsonObjectSize,
  storageEngines: ['sqlite'],
}));

/** Commands by which drivers, shells and other tools find out whom they talk to. */
export const helloCommands: Record<string, Command> = {
  hello: greet('isWritablePrimary'),
  isMaster: greet('ismaster'),
  ismaster: greet('ismaster'),
  ping: answer(() => ({})),
  buildInfo,
  buildinfo: buildInfo,
  connectionStatus: answer(() => ({
    authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] },
  })),
  endSessions: answer(({ store, body }) => {
    store.sessions.end(body.endSessions);
    return {};
  }),
  refreshSessions: answer(() => ({})),
  hostInfo: answer(() => ({ system: { hostname: hostname() } })),
  getParameter: answer(() => ({ featureCompatibilityVersion: { version: '8.0' } })),
  getCmdLineOpts: answer(() => ({ argv: [], parsed: {} })),
  getLog: answer(() => ({ totalLinesWritten: 0, log: [] })),
  serverStatus: answer(({ store }) => ({
    host: hostname(),
    version,
    process: 'embedded',
    pid: process.pid,
    uptime: Math.round((Date.now() - startedAt) / 1000),
    localTime: new Date(),
    globalLock: { activeClients: { readers: store.readers.active } },
    metrics: { cursor: { open: { total: store.cursors.size } } },
    mem: { resident: Math.round(process.memoryUsage.rss() / 1048576) },
    storageEngine: { name: 'sqlite', supportsCommittedReads: false, persistent: true },
  })),
};
