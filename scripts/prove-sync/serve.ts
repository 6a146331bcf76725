import { startEmbedded } from '../../src/storage/embedded/index.ts';

/** The process under strace: prints its URI and ends when its input does. */
const server = await startEmbedded({ directory: process.argv[2] ?? '' });
process.stdout.write(`${server.uri}\n`);
process.stdin.resume().once('end', () => server.stop());
