import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/storage/embedded/index.ts';
import { startApp, type TestApp } from './app.ts';
import { testDatabase } from './database.ts';

export type CountedApp = TestApp & {
  /** What `work` asked the database, e.g. `find configs`; the polls that go on in the background are left out. */
  commandsOf<T>(work: () => Promise<T>): Promise<{ answer: T; commands: string[] }>;
};

/** A built app over a connection that reports its commands. */
export async function startCountedApp(env: Record<string, string>): Promise<CountedApp> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const database = testDatabase();
  const embedded = database.uri
    ? null
    : await startEmbedded({ directory: join(directory, 'store'), databaseName: 'sluice' });
  const uri = database.uri || (embedded?.uri ?? '');
  const app = await startApp({
    ...env,
    MONGODB_URI: `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`,
  });
  let commands: string[] = [];
  app.db.getClient().on('commandStarted', ({ commandName, command }) => {
    const collection = command[commandName];
    const isPoll = collection === 'revisions' || (collection === 'log_exports' && command.filter?.status);
    // A further batch of the same read is no read of its own.
    if (!isPoll && commandName !== 'getMore') commands.push(`${commandName} ${collection}`);
  });
  return {
    ...app,
    async commandsOf(work) {
      commands = [];
      const answer = await work();
      return { answer, commands };
    },
    async stop() {
      await app.stop();
      await embedded?.stop();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
