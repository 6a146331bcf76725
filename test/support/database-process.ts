// An embedded server in a process of its own, so that a test can stop or kill its database.
import { startEmbedded } from '../../src/storage/embedded/index.ts';

const [, , directory = '', options = '{}'] = process.argv;
const server = await startEmbedded({ directory, databaseName: 'sluice', ...JSON.parse(options) });
process.send?.(server.uri);
setInterval(() => undefined, 60_000);
