import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { labelProblem, type MetadataSchema } from '../metadata-schema.ts';
import { organisationById } from './loaders.ts';

type Defaults = { metadata?: Record<string, string> };

/** The defaults with the metadata that the organisation fills in; throws VALIDATION_FAILED where it wants others. */
export async function withRequiredMetadata<T extends Defaults>(
  context: GraphContext,
  of: 'apiKeyMetadataSchema' | 'workspaceMetadataSchema',
  defaults: T | null,
): Promise<T | Defaults | null> {
  const organisation = await organisationById(context).load(context.principal?.organisationId ?? '');
  const schema = organisation?.settings?.[of];
  if (!schema) return defaults;
  const metadata = { ...filledIn(schema), ...defaults?.metadata };
  const param = 'input.defaults.metadata';
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(metadata, name))
      throw invalidInput(`${param}.${name}`, `${param}.${name} is required by the organisation.`);
  }
  for (const [name, label] of Object.entries(schema.properties ?? {})) {
    const text = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    const problem = text === undefined ? null : labelProblem(label, text);
    if (problem) throw invalidInput(`${param}.${name}`, `${param}.${name} ${problem}`);
  }
  return { ...defaults, metadata };
}

const filledIn = ({ properties = {} }: MetadataSchema): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, label]) =>
      label.default === undefined ? [] : [[name, label.default]],
    ),
  );
