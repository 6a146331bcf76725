// `npm run conformance -- <dir> [<dir>...]`: runs suites in MongoDB's unified test format against the embedded store,
// or against the server of MONGODB_URI.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/storage/embedded/index.ts';
import { exceptions } from './exceptions.ts';
import { evaluate, formatReport } from './report.ts';
import { runDirectories } from './runner.ts';

/** Lends a server of its own in a directory of its own, unless one is given. */
async function withServer<T>(use: (uri: string) => Promise<T>): Promise<T> {
  if (process.env.MONGODB_URI) return await use(process.env.MONGODB_URI);
  const directory = mkdtempSync(join(tmpdir(), 'conformance-'));
  const server = await startEmbedded({ directory });
  try {
    return await use(server.uri);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const directories = process.argv.slice(2);
if (directories.length === 0) {
  console.error('Usage: npm run conformance -- <directory of suites> [<directory>...]');
  process.exit(2);
}
const report = evaluate(await withServer((uri) => runDirectories(directories, uri)), exceptions);
console.log(formatReport(report));
process.exitCode = report.unexpected.length + report.stale.length > 0 ? 1 : 0;
