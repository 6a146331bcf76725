import { performance } from 'node:perf_hooks';
import { type SecretContent, SecretProblem } from '../../../secret-managers/index.ts';
import type { GraphContext } from '../../context.ts';
import type { SecretReferenceTest } from '../../types.generated.ts';
import { getSecretReference } from './find.ts';
import { sourceOf } from './sealed-auth.ts';

const MOST_MEMBERS = 100;

/** Asks the manager once, past what is in memory, and says what came of it. */
export async function testSecretReference(context: GraphContext, id: string): Promise<SecretReferenceTest> {
  const reference = await getSecretReference(context, id);
  const startedAt = performance.now();
  let content: SecretContent | null = null;
  let problem: SecretProblem | null = null;
  try {
    content = await context.secretManagers.read(sourceOf(context.secrets, reference));
    // Fails where the member that is meant is not there; mappings may name others, and say how it is taken.
    if (reference.secretKey !== null) content.member(reference.secretKey);
  } catch (error) {
    if (!(error instanceof SecretProblem)) throw error;
    problem = error;
  }
  return {
    outcome: problem?.fault ?? 'found',
    message: problem?.message ?? 'The manager gave the secret.',
    members: content?.names.slice(0, MOST_MEMBERS) ?? [],
    duration: Math.round(performance.now() - startedAt),
  };
}
