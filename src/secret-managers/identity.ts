import { readFile } from 'node:fs/promises';
import type { SecretIdentity } from '../settings/identity/secret-managers.ts';
import { SecretProblem } from './problem.ts';

/** Whether references may take the identity of this machine to a host. */
export const mayBorrow = ({ hosts }: SecretIdentity, host: string): boolean =>
  hosts.some((rule) =>
    rule.startsWith('*.') ? host === rule.slice(2) || host.endsWith(rule.slice(1)) : host === rule,
  );

/** The token in a file that the machine's platform keeps fresh; read anew each time. */
export async function tokenIn(file: string, what: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new SecretProblem('denied', `This machine has no ${what}: its file cannot be read.`, cause);
  });
  return text.trim();
}
