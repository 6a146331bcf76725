import { useDocument } from '../../../data/use-document.ts';
import { counted } from '../../../format/number.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { Notice, Status } from '../../../ui/index.ts';
import { Page } from '../../../ui/page.tsx';
import { ConfigDetailDocument, type ConfigDetailQuery } from '../documents.ts';
import { ConfigEditor } from './config-editor.tsx';
import { DeleteConfig } from './delete-config.tsx';

export type Stored = NonNullable<ConfigDetailQuery['config']>;

/** One config, as text and as a picture. */
export function ConfigDetail({ id }: { id: string }) {
  const query = useDocument(ConfigDetailDocument, { id });
  const stored = query.data?.config;
  return (
    <Page
      title={stored?.name ?? id}
      answer={stored && <Head stored={stored} />}
      actions={stored && <DeleteConfig stored={stored} />}
    >
      <Asked query={query} what="The config">
        {({ config }) =>
          config ? (
            <ConfigEditor
              stored={config}
              onReload={() => query.refetch().then(({ data }) => data?.config ?? null)}
            />
          ) : (
            <Notice icon="search" title="There is no such config" />
          )
        }
      </Asked>
    </Page>
  );
}

const Head = ({ stored: { slug, isDefault, versions, usedBy } }: { stored: Stored }) => (
  <span className="flex flex-wrap items-center gap-x-3">
    <span className="mono">{slug}</span>
    <span>v{versions[0]?.number ?? 1}</span>
    {isDefault === 1 && <Status tone="info">default</Status>}
    <span>
      {usedBy.length === 0
        ? 'nothing has it as its default'
        : `default of ${counted(usedBy.length, 'key or workspace', 'keys and workspaces')}`}
    </span>
  </span>
);
