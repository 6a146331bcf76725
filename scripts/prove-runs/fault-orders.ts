import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What one operation of a gateway meets: it dies, it stands still, or its database does not answer. */
export type Fault = {
  /** Tells it from all others; the count of operations begins anew with it. */
  id: number;
  /** The operation that meets it, from 1. */
  at: number;
  when: 'before' | 'after';
  kind: 'kill' | 'stop' | 'throw';
};

/** The environment of gateways that take orders of faults. */
export const faultEnv = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'faults.ts')).href}`,
};

/** Has the gateway of a data directory meet a fault. */
export async function orderFault(directory: string, fault: Fault): Promise<void> {
  const path = join(directory, 'fault.json');
  await writeFile(`${path}.new`, JSON.stringify(fault));
  await rename(`${path}.new`, path);
}

export const withdrawFault = (directory: string): Promise<void> =>
  rm(join(directory, 'fault.json'), { force: true });

/** The operation that met a fault, e.g. `updateOne runs`; null where none has. */
export async function metBy(directory: string, { id }: Fault): Promise<string | null> {
  try {
    return await readFile(join(directory, `fault-${id}`), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
