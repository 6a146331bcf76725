import { useState } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { changedIn, FormDialog, SchemaForm, SkeletonRows, writtenOf } from '../../../ui/index.ts';
import { ConfigSchemaDocument } from '../documents.ts';
import { nodeSchema } from './node-schema.ts';
import { partAt, withPart } from './tree.ts';

type NodeFormProps = {
  config: unknown;
  /** Path of the node. */
  path: string;
  /** Problems by path. */
  problems: ReadonlyMap<string, string>;
  onChange(config: unknown): void;
  onClose(): void;
};

/** What one node of the picture says, a field for each member; the rest of the config stays as it is. */
export function NodeForm({ config, path, problems, onChange, onClose }: NodeFormProps) {
  const { data, error } = useDocument(ConfigSchemaDocument, {}, { freshFor: 3_600_000 });
  const part = partAt(config, path);
  const schema = nodeSchema(data?.configSchema, part);
  const [changes, setChanges] = useState({});
  const written = { ...writtenOf(schema, part), ...changes };
  const errorAt = (name: string) => {
    const own = `${path}.${name}`;
    const isOwn = (at: string) => at === own || at.startsWith(`${own}.`) || at.startsWith(`${own}[`);
    return [...problems].find(([at]) => isOwn(at))?.[1] ?? null;
  };
  return (
    <FormDialog
      title={path === 'config' ? 'The whole config' : path.replace('config.', '')}
      description="What is left empty is not said; the text follows."
      verb="Apply"
      isBusy={false}
      refusal={data ? null : 'The fields are on their way.'}
      problem={error?.message}
      onSubmit={() => {
        if (Object.keys(changes).length > 0)
          onChange(withPart(config, path, changedIn(schema, part, written)));
        onClose();
      }}
      onClose={onClose}
    >
      {data ? (
        <SchemaForm schema={schema} written={written} onChange={setChanges} errorAt={errorAt} />
      ) : (
        <SkeletonRows rows={8} />
      )}
    </FormDialog>
  );
}
