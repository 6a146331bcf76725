import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { databaseUri } from '../../test/support/database.ts';

const program = join(import.meta.dirname, '../../test/support/database-process.ts');

/** The database of all gateways. */
export type SharedStore = {
  uri: string;
  /** Kills it and starts it again on the same data; null for a server that is not this program's own. */
  restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
};

/** The embedded store in a process of its own, or a new database on the server `server`. */
export async function startStore(directory: string, server: string | undefined): Promise<SharedStore> {
  if (server) {
    const uri = databaseUri(server, `sluice_prove_limits_${Date.now().toString(36)}`);
    return { uri, restart: null, stop: async () => undefined };
  }
  let child: ChildProcess;
  const start = async (): Promise<string> => {
    child = fork(program, [directory], { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const [uri] = await once(child, 'message');
    return uri;
  };
  const kill = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    uri: await start(),
    async restart() {
      await kill();
      await start();
    },
    stop: kill,
  };
}
