import { startApp, type TestApp } from './app.ts';
import { sharedDatabase } from './database.ts';

export type CountedApp = TestApp & {
  /** What `work` asked the database, e.g. `find configs`; what goes on in the background is left out. */
  commandsOf<T>(work: () => Promise<T>): Promise<{ answer: T; commands: string[] }>;
  /** Says which collection a command that is no read was sent for, before it is sent and after it has ended. */
  onWrite(listener: (collection: string) => void): void;
};

/** Members of API keys by which those are found that something is due for. */
const polled = new Set(['rotationPolicy.nextRotationAt', 'rotationNews.at', 'nextNoticeAt']);

/** Members of runs by which those are found that are to be begun, cancelled, taken over or ended. */
const watched = new Set(['status', 'owner', 'expiresAt']);

const reads = new Set([
  'find',
  'getMore',
  'aggregate',
  'count',
  'distinct',
  'listCollections',
  'ping',
  'hello',
  'endSessions',
  'killCursors',
]);

/** The collections that a command for several ones writes to. */
function collectionsOf({ nsInfo }: { nsInfo?: unknown }): string[] {
  // The driver gives a list that goes behind the command's document as what it is made of.
  const given = nsInfo as { ns: string }[] | { documents: { ns: string }[] };
  const namespaces = Array.isArray(given) ? given : given.documents;
  return namespaces.map(({ ns }) => ns.slice(ns.indexOf('.') + 1));
}

/** A built app over a connection that reports its commands. */
export async function startCountedApp(env: Record<string, string> = {}): Promise<CountedApp> {
  const database = await sharedDatabase();
  const { uri } = database;
  const app = await startApp({
    // What is read of MCP servers is read at no time that a test knows.
    MCP_SYNC_SECONDS: '0',
    ...env,
    MONGODB_URI: `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`,
  });
  let commands: string[] = [];
  const client = app.db.getClient();
  client.on('commandStarted', ({ commandName, command }) => {
    const collection = command[commandName];
    const isPoll =
      collection === 'revisions' ||
      collection === 'run_instances' ||
      // News for other processes are written a moment after what they tell of.
      (collection === 'events' && commandName === 'insert') ||
      (collection === 'batches' && command.filter?.active) ||
      (collection === 'runs' && Object.keys(command.filter ?? {}).some((member) => watched.has(member))) ||
      (collection === 'log_exports' && command.filter?.status) ||
      (collection === 'erased_runs' && command.filter?.nextLookAt) ||
      (collection === 'limit_alarms' && command.filter?.isTold === false) ||
      (collection === 'webhook_deliveries' && command.filter?.nextAttemptAt) ||
      (collection === 'api_keys' && Object.keys(command.filter ?? {}).some((member) => polled.has(member)));
    // A further batch of the same read is no read of its own.
    if (!isPoll && commandName !== 'getMore') commands.push(`${commandName} ${collection}`);
  });
  return {
    ...app,
    onWrite(listener) {
      const underWay = new Map<number, string[]>();
      const end = ({ requestId }: { requestId: number }) => {
        underWay.get(requestId)?.forEach(listener);
        underWay.delete(requestId);
      };
      client.on('commandStarted', ({ requestId, commandName, command }) => {
        if (reads.has(commandName)) return;
        const collections = commandName === 'bulkWrite' ? collectionsOf(command) : [command[commandName]];
        underWay.set(requestId, collections);
        collections.forEach(listener);
      });
      client.on('commandSucceeded', end);
      client.on('commandFailed', end);
    },
    async commandsOf(work) {
      commands = [];
      const answer = await work();
      return { answer, commands };
    },
    async stop() {
      await app.stop();
      await database.drop();
    },
  };
}
