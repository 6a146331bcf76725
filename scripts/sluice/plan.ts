import type { Ask } from './client.ts';
import { secretValues } from './secrets.ts';

export type Given = { documents: unknown[]; prune: boolean };
export type Change = { kind: string; slug: string; action: string; members: string[] };
type Environment = Readonly<Record<string, string | undefined>>;

const query = `query ($input: PlanBundleInput!) { result: planBundle(input: $input) {
  digest changes { kind slug action members } } }`;

/** What every operation on the files is given. With `prune`, all bundles that the documents name are pruned. */
export async function inputOf({ documents, prune }: Given, env: Environment) {
  const labels = documents.flatMap((document) => {
    const label = (document as { metadata?: { bundle?: unknown } } | null)?.metadata?.bundle;
    return typeof label === 'string' ? [label] : [];
  });
  return { documents, secrets: await secretValues(documents, env), prune: prune ? [...new Set(labels)] : [] };
}

export const lineOf = ({ action, kind, slug, members }: Change): string =>
  `${action} ${kind} ${slug}${members.length > 0 ? `: ${members.join(', ')}` : ''}`;

/** Prints what an apply would do, and answers that. */
export async function planFiles(
  ask: Ask,
  given: Given,
  env: Environment,
): Promise<{ digest: string; changes: Change[] }> {
  const input = await inputOf(given, env);
  const { digest, changes } = await ask<{ digest: string; changes: Change[] }>(query, { input });
  const due = changes.filter(({ action }) => action !== 'unchanged');
  for (const change of due) console.log(lineOf(change));
  console.error(`${due.length} to change, ${changes.length - due.length} unchanged.`);
  return { digest, changes: due };
}
