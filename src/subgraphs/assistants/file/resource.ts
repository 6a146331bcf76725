import type { Resource } from '../../subgraph.ts';
import { fileModel, uploadModel, uploadPartModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedFile } from './service.ts';

export const file: Resource = {
  name: 'file',
  models: [fileModel, uploadModel, uploadPartModel],
  goesWithWorkspace: true,
  resolvers,
  references: { File: ({ id }, context) => referencedFile(context, id) },
};
