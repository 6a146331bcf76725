import { Link } from '@tanstack/react-router';
import { useDocument } from '../../../data/use-document.ts';
import { bytes } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Id, Section, Status } from '../../../ui/index.ts';
import {
  DeleteVectorStoreDocument,
  VectorStoreShownDocument,
  type VectorStoreShownQuery,
} from '../documents.ts';
import { DeletableHead } from './deletable-head.tsx';
import { SearchBox } from './search-box.tsx';
import { LOOK_AGAIN_MS, toneOf, wordOf } from './statuses.ts';
import { filesIn } from './stores.tsx';

type Shown = NonNullable<VectorStoreShownQuery['vectorStore']>;

/** One vector store: what a search finds in it, and its files. */
export function StoreShown({ id, onClose }: { id: string; onClose(): void }) {
  const query = useDocument(
    VectorStoreShownDocument,
    { id },
    { askAgain: ({ vectorStore }) => (vectorStore?.status === 'in_progress' ? LOOK_AGAIN_MS : null) },
  );
  const name = query.data?.vectorStore?.name || id;
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <DeletableHead
        {...{ id, name, onClose }}
        document={DeleteVectorStoreDocument}
        consequence="Assistants that search it find nothing there any more. Its files stay."
      />
      <Asked query={query} what="The vector store">
        {({ vectorStore, vectorStoreFiles, files }) =>
          vectorStore && (
            <div className="flex flex-col gap-4 p-4">
              <Facts store={vectorStore} />
              <SearchBox store={id} isExpired={vectorStore.status === 'expired'} />
              <FilesOf
                rows={vectorStoreFiles?.data ?? []}
                hasMore={vectorStoreFiles?.hasMore ?? false}
                names={new Map(files?.data.map((file) => [file.id, file.filename]))}
              />
            </div>
          )
        }
      </Asked>
    </div>
  );
}

function Facts({ store }: { store: Shown }) {
  const [zone] = useZone();
  const { id, description, status, usageBytes, embeddingModel, expiresAt, fileCounts } = store;
  return (
    <div className="flex flex-col gap-1 text-muted">
      {description && <p>{description}</p>}
      <p className="flex flex-wrap gap-x-3">
        <Status tone={toneOf(status)}>{wordOf(status)}</Status>
        {filesIn(fileCounts)}, {bytes(usageBytes)}, vectors by {embeddingModel}
        {expiresAt !== null && `, until ${dateAndTime(expiresAt * 1000, zone)} unless it is used`}
      </p>
      <Id className="-ml-1 self-start">{id}</Id>
    </div>
  );
}

type FilesOfProps = {
  rows: NonNullable<VectorStoreShownQuery['vectorStoreFiles']>['data'];
  hasMore: boolean;
  names: ReadonlyMap<string, string>;
};

function FilesOf({ rows, hasMore, names }: FilesOfProps) {
  const slug = useWorkspaceSlug();
  return (
    <Section title={hasMore ? 'The newest 100 files' : 'Files'}>
      <ul className="flex flex-col gap-2 p-4">
        {rows.length === 0 && <li>It has no file, so that a search finds nothing.</li>}
        {rows.map(({ id, status, usageBytes, lastError }) => (
          <li key={id}>
            <span className="flex flex-wrap items-center gap-x-3">
              <Status tone={toneOf(status)}>{wordOf(status)}</Status>
              <Link
                to={`/${slug}/assistants` as never}
                search={{ view: 'files', open: id } as never}
                className="text-accent underline"
              >
                {names.get(id) ?? id}
              </Link>
              <span className="text-muted">{bytes(usageBytes)}</span>
            </span>
            {lastError && <span className="text-bad">{lastError.message}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
