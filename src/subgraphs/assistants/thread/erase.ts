import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { Erasure } from '../../../runs/erasure/index.ts';
import type { GraphContext } from '../../context.ts';
import type { EraseThreadsInput } from '../../types.generated.ts';
import { metadataOf } from '../members/index.ts';

/** Erases the threads that an administrator chooses, in the workspaces that the credential reaches. */
export async function eraseThreads(context: GraphContext, input: EraseThreadsInput): Promise<Erasure> {
  const principal = requireScope(context.principal, ['workspaces.update']);
  const metadata = metadataOf(input.metadata, 'input.metadata');
  const before = input.before ?? null;
  if (before === null && Object.keys(metadata).length === 0) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'Say which threads: pairs of their metadata, a moment in before, or both.',
      param: 'input.metadata',
    });
  }
  if (before !== null && before > context.now()) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'before must not lie in the future.',
      param: 'input.before',
    });
  }
  const { organisationId, workspaceId } = principal;
  const attached = input.attachedFiles ?? false;
  return context.threadErasure.erase({ organisationId, workspaceId, metadata, before }, { attached });
}
