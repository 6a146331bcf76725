import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { visibleByAllowance } from '../allowed-workspaces.ts';
import { idOrSlug } from '../values.ts';
import { type SecretReferenceDocument, secretReferenceModel } from './model.ts';

export const referenceNotFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The secret reference does not exist.' });

/** A reference that the caller reaches, by id or slug. */
export async function getSecretReference(
  context: GraphContext,
  id: string,
  scope: Scope = 'secret_references.read',
): Promise<SecretReferenceDocument> {
  const principal = requireScope(context.principal, [scope]);
  const found = await secretReferenceModel(context.db)
    .findOne({ $and: [idOrSlug(id), visibleByAllowance(principal)] })
    .lean<SecretReferenceDocument>();
  if (!found) throw referenceNotFound();
  return found;
}

const referenceById = loaderById(secretReferenceModel, visibleByAllowance);

/** For references from other resources: null when it is gone or out of the credential's reach. */
export async function referencedSecretReference(
  context: GraphContext,
  id: string,
): Promise<SecretReferenceDocument | null> {
  requireScope(context.principal, ['secret_references.read']);
  return referenceById(context).load(id);
}
