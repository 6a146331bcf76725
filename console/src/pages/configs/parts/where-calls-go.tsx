import { useState } from 'react';
import type { SimulateConfigQuery, ValidateConfigQuery } from '../documents.ts';
import type { Stored } from './config-detail.tsx';
import { NodeForm } from './node-form.tsx';
import { Picture } from './picture.tsx';
import { treeOf } from './tree.ts';

type WhereCallsGoProps = {
  /** What is written; undefined for what is no JSON. */
  config: unknown;
  problems: readonly NonNullable<ValidateConfigQuery['validateConfig']>['problems'][number][];
  circuits: Stored['circuits'];
  simulated: NonNullable<SimulateConfigQuery['simulateConfig']>['targets'];
  /** Takes what a form has changed; null where nothing can be changed. */
  onChange: ((config: unknown) => void) | null;
};

/** The picture of a config; each of its nodes opens a form. */
export function WhereCallsGo({ config, problems, circuits, simulated, onChange }: WhereCallsGoProps) {
  const [opened, setOpened] = useState<string | null>(null);
  const byPath = new Map(problems.map(({ path, message }) => [rooted(path), message]));
  const open = circuits.filter(({ isOpen }) => isOpen);
  return (
    <section aria-label="Where calls go" className="overflow-auto rounded-panel border border-line bg-bg p-4">
      <Picture
        node={treeOf(config)}
        problems={byPath}
        open={new Map(open.map(({ target, openUntil }) => [target, openUntil]))}
        simulated={new Map(simulated.map((target) => [target.path, target]))}
        onOpen={onChange && setOpened}
      />
      {opened !== null && onChange && (
        <NodeForm
          config={config}
          path={opened}
          problems={byPath}
          onChange={onChange}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

const rooted = (path: string): string =>
  path.startsWith('config') ? path : path === '' ? 'config' : `config.${path}`;
