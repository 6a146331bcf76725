import { appendFile, chmod, open } from 'node:fs/promises';
import type { Ask } from './client.ts';
import { type Change, type Given, inputOf, lineOf, planFiles } from './plan.ts';

type Applied = {
  applied: Change[];
  remaining: number;
  credentials: { kind: string; slug: string; id: string; secret: string }[];
  failure: { change: Change; code: string; message: string } | null;
};

/** The most changes of one call: little is lost of sight where this program is ended in between. */
const CHANGES_A_CALL = 250;

const mutation = `mutation ($input: ApplyBundleInput!) { result: applyBundle(input: $input) {
  applied { kind slug action members } remaining credentials { kind slug id secret }
  failure { change { kind slug action members } code message } } }`;

/** Makes the resources be as the documents say; asks for nothing where they are. Answers the exit code. */
export async function applyFiles(
  ask: Ask,
  given: Given,
  env: Readonly<Record<string, string | undefined>>,
  secretsFile: string | null,
): Promise<number> {
  const { digest, changes } = await planFiles(ask, given, env);
  if (changes.length === 0) return 0;
  const makesSecrets = changes.some(
    ({ action, kind }) => action === 'create' && ['ApiKey', 'ServiceAccount'].includes(kind),
  );
  if (makesSecrets && secretsFile === null)
    throw new Error(
      'Keys or service accounts are to be made: name a file for their secrets with --secrets-out.',
    );
  if (secretsFile !== null) await openSecretsFile(secretsFile);
  const input = { ...(await inputOf(given, env)), limit: CHANGES_A_CALL };
  for (let expectedDigest: string | null = digest; ; expectedDigest = null) {
    const { applied, remaining, credentials, failure } = await ask<Applied>(mutation, {
      input: { ...input, expectedDigest },
    });
    if (secretsFile !== null)
      await appendFile(secretsFile, credentials.map((line) => `${JSON.stringify(line)}\n`).join(''), {
        flush: true,
      });
    for (const change of applied) console.error(`done: ${lineOf(change)}`);
    if (failure) throw new Error(`${lineOf(failure.change)} failed with ${failure.code}: ${failure.message}`);
    if (remaining === 0) return 0;
  }
}

/** Before anything is made: a secret that could not be written down would be lost. */
async function openSecretsFile(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}
