import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { organisationById } from './loaders.ts';

export async function ownOrganisation(context: GraphContext) {
  if (!context.principal) throw new GatewayError('UNAUTHENTICATED');
  const organisation = await organisationById(context).load(context.principal.organisationId);
  if (!organisation) throw new GatewayError('NOT_FOUND', { message: 'The organisation does not exist.' });
  return organisation;
}
