// The store in a process of its own: what it holds in memory is the server's alone.
import { startEmbedded } from '../../src/storage/embedded/index.ts';

const [directory = ''] = process.argv.slice(2);
const server = await startEmbedded({ directory });

const end = () => server.stop().then(() => process.exit());
process.once('SIGTERM', end);
process.once('disconnect', end);
process.send?.(server.uri);
