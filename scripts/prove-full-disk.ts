// Fills the disk under a running service, to the last byte, and shows what callers see and that nothing is lost: no log of an
// answered call, no acknowledged change, no audit entry of a change that was refused.
//
// The disk is a small file system in memory. Of the refused requests half come over REST and half over the graph. Then there is
// space again, the service catches up, stops and starts once more; what is in its store afterwards is what counts.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../test/support/process.ts';
import { Callers, callEach, described } from './prove-full-disk/callers.ts';
import { ensureMountable, mountDisk } from './prove-full-disk/disk.ts';
import { findingsIn } from './prove-full-disk/findings.ts';

/** Room for the data file of a new installation (20 MB) beside a log of the same size that waits to be copied into it. */
const DISK_MB = 96;
/** Refused changes of each kind that are waited for: until the store has used up what its log holds, changes still succeed. */
const REFUSALS = 40;
const MOST_ROUNDS = 200;

async function prove(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-full-disk-'));
  const disk = mountDisk(directory, DISK_MB);
  let sluice = await startProcess(directory);
  try {
    const callers = new Callers(JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')));
    const { chat, read, restWrite, graphWrite } = callers;
    const readiness = async () => (await fetch(`${sluice.url}/readyz`)).text();

    console.log(`Before: ${described(await callEach({ chat, restWrite, graphWrite }, 60))}`);
    // Some of their logs are on their way when the disk fills up.
    await callEach({ chat, again: chat }, 60);
    disk.fill();
    const early = callers.failed.length;
    let rounds = 0;
    while (callers.failed.length < early + 2 * REFUSALS && rounds++ < MOST_ROUNDS)
      await callEach({ chat, restWrite, graphWrite }, 5);
    console.log(
      `Until changes were refused: ${rounds} rounds, ${callers.configs.length} changes acknowledged.`,
    );
    const during = await callEach({ chat, read, restWrite, graphWrite }, 40);
    console.log(`Full: ${described(during)}`);
    await sleep(3000);
    const whileFull = await readiness();
    console.log(`readyz: ${whileFull}`);

    disk.free();
    const isCalm = async () => (await readiness()).includes('"status":"ok"');
    for (let waited = 0; waited < 40 && !(await isCalm()); waited++) await sleep(500);
    console.log(`readyz with space: ${await readiness()}`);
    console.log(`With space: ${described(await callEach({ chat, read, restWrite, graphWrite }, 5))}`);
    await sluice.kill('SIGTERM');
    sluice = await startProcess(directory);
    await sluice.kill('SIGTERM');

    const { chain, litter, ...counts } = await findingsIn(directory, callers);
    const { chats, configs, failed } = callers;
    console.log(`${chats} calls answered, ${configs.length} changes acknowledged, ${failed.length} refused.`);
    console.log(counts);
    console.log(`audit:verify: ${chain}`);
    console.log(`Left behind: ${litter.length} files${litter.length > 0 ? `, such as ${litter[0]}` : ''}`);
    const seen = [...during].map(([kind, answers]) => `${kind} ${[...answers.keys()].join(' ')}`);
    return (
      Object.values(counts).every((count) => count === 0) &&
      chain.endsWith(' no break.') &&
      litter.length === 0 &&
      failed.length > 0 &&
      whileFull.includes('"status":"degraded"') &&
      seen.join(', ') === 'chat 200, read 200, restWrite 507, graphWrite STORE_FULL'
    );
  } catch (error) {
    console.error(sluice.output().slice(-3000));
    throw error;
  } finally {
    await sluice.kill('SIGKILL');
    disk.unmount();
    await rm(directory, { recursive: true, force: true });
  }
}

process.exitCode = ensureMountable() ?? ((await prove()) ? 0 : 1);
