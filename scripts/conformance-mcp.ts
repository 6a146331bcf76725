// Runs the conformance suite of the Model Context Protocol twice for each revision: against a server itself, and against the same
// server through the gateway. Both columns are printed. It fails where a check comes out worse through the gateway.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '../test/support/process.ts';
import { tableOf, worseChecks } from './conformance-mcp/compare.ts';
import { startKeyProxy } from './conformance-mcp/key-proxy.ts';
import { startConformanceServer } from './conformance-mcp/server/index.ts';
import { runSuite } from './conformance-mcp/suite.ts';
import { type Seeds, serveThrough } from './prove-mcp/serve.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const directory = await mkdtemp(join(tmpdir(), 'sluice-conformance-mcp-'));
const server = await startConformanceServer();
const gateway = await startProcess(directory, { LOG_LEVEL: 'error' });
const seeds: Seeds = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
await serveThrough(gateway.url, seeds, 'conformance', server.url);
const proxy = await startKeyProxy(gateway.url, 'conformance', seeds.workspace_api_key);
try {
  const faults: string[] = [];
  for (const revision of REVISIONS) {
    const direct = await runSuite(server.url, revision);
    const through = await runSuite(proxy.url, revision);
    console.log(`Revision ${revision}\n${tableOf(direct, through)}\n`);
    faults.push(...worseChecks(direct, through).map((fault) => `${revision} ${fault}`));
  }
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await proxy.stop();
  await gateway.kill('SIGTERM');
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
