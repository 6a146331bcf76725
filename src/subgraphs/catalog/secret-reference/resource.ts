import type { Resource } from '../../subgraph.ts';
import { referencedSecretReference } from './find.ts';
import { secretReferenceModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const secretReference: Resource = {
  name: 'secret-reference',
  models: [secretReferenceModel],
  ownedByOrganisation: true,
  resolvers,
  references: { SecretReference: ({ id }, context) => referencedSecretReference(context, id) },
};
