// An embedded server in a process of its own, so that a test can stop or kill its database.
import { startEmbedded } from '../../src/storage/embedded/index.ts';

const server = await startEmbedded({ directory: process.argv[2] ?? '', databaseName: 'sluice' });
process.send?.(server.uri);
setInterval(() => undefined, 60_000);
