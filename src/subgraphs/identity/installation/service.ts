import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { RunningFacts } from '../../installation-facts.ts';

/** How this installation runs; FORBIDDEN for all organisations but the one that was made with it. */
export async function ownInstallation({ principal, installation }: GraphContext): Promise<RunningFacts> {
  const { organisationId } = requireScope(principal, ['organisation_settings.read']);
  if (organisationId !== (await installation.organisationId())) {
    throw new GatewayError('FORBIDDEN', {
      message: 'Only the organisation that was made with this installation sees how it runs.',
    });
  }
  return installation.running();
}
