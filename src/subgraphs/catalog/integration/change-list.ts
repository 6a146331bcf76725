import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { integrationNotFound } from './find.ts';
import { type IntegrationDocument, integrationModel } from './model.ts';

/** A change of a list, of whatever else goes with it, and what is to be done once it is written, before it is published. */
export type ListChange = {
  list: 'models' | 'workspaces';
  change(current: IntegrationDocument): Partial<IntegrationDocument>;
  written?(before: IntegrationDocument, after: IntegrationDocument): Promise<void>;
};

/**
 * Changes a list inside an integration only if it still is what the change was computed from, and computes the change
 * again when it is not: two administrators who edit one list at the same time lose nothing.
 */
export async function changeList(
  context: GraphContext,
  integration: IntegrationDocument,
  { list, change, written }: ListChange,
): Promise<IntegrationDocument> {
  const { _id, organisationId } = integration;
  const model = integrationModel(context.db);
  let current = integration;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const updated = await model
      .findOneAndUpdate(
        {
          ...{ _id, organisationId, [list]: current[list] },
          // What holds for workspaces without an entry changes together with the entries.
          ...(list === 'workspaces' && { globalWorkspaceAccess: current.globalWorkspaceAccess }),
          ...ifUnchanged(context),
        },
        change(current),
        { returnDocument: 'after' },
      )
      .lean<IntegrationDocument>();
    if (updated) {
      await written?.(current, updated);
      await context.changes.publish('integration');
      return updated;
    }
    if (context.unchangedSince) break;
    const found = await model.findOne({ _id, organisationId }).lean<IntegrationDocument>();
    if (!found) throw integrationNotFound();
    current = found;
  }
  throw notWritten(
    context,
    new GatewayError('ALREADY_EXISTS', {
      message: 'The integration is being changed by others; read it again and retry.',
    }),
  );
}
