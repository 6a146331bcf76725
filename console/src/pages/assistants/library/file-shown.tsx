import { Link } from '@tanstack/react-router';
import { useDocument } from '../../../data/use-document.ts';
import { bytes } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Id, Section, Status } from '../../../ui/index.ts';
import { DeleteFileDocument, FileShownDocument, type FileShownQuery } from '../documents.ts';
import { DeletableHead } from './deletable-head.tsx';
import { LOOK_AGAIN_MS, toneOf, wordOf } from './statuses.ts';

type Shown = NonNullable<FileShownQuery['file']>;

const isIndexing = ({ file }: FileShownQuery): boolean =>
  file?.vectorStoreFiles.some(({ status }) => status === 'in_progress') ?? false;

/** One file: what it is, where it is used, and what became of it there. */
export function FileShown({ id, onClose }: { id: string; onClose(): void }) {
  const query = useDocument(
    FileShownDocument,
    { id },
    { askAgain: (answer) => (isIndexing(answer) ? LOOK_AGAIN_MS : null) },
  );
  const name = query.data?.file?.filename ?? id;
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <DeletableHead
        {...{ id, name, onClose }}
        document={DeleteFileDocument}
        consequence="It goes out of the vector stores that it is in, and programs that name it are refused."
      />
      <Asked query={query} what="The file">
        {({ file, vectorStores, batches }) =>
          file && (
            <div className="flex flex-col gap-4 p-4">
              <Facts file={file} />
              <Stores
                file={file}
                names={new Map(vectorStores?.data.map((store) => [store.id, store.name]))}
              />
              <Batches file={file} batches={batches?.data ?? []} />
            </div>
          )
        }
      </Asked>
    </div>
  );
}

function Facts({ file: { id, purpose, bytes: size, createdAt, expiresAt, sha256 } }: { file: Shown }) {
  const [zone] = useZone();
  return (
    <div className="flex flex-col gap-1 text-muted">
      <p>
        {bytes(size)}, for {purpose.replaceAll('_', ' ')}, stored {dateAndTime(createdAt * 1000, zone)}
        {expiresAt === null ? '.' : `, until ${dateAndTime(expiresAt * 1000, zone)}.`}
      </p>
      <Id className="-ml-1 self-start">{id}</Id>
      <p className="break-all">SHA-256 {sha256}</p>
    </div>
  );
}

function Stores({ file, names }: { file: Shown; names: ReadonlyMap<string, string> }) {
  const slug = useWorkspaceSlug();
  return (
    <Section title="Vector stores">
      <ul className="flex flex-col gap-2 p-4">
        {file.vectorStoreFiles.length === 0 && <li>It is in none: no search finds it.</li>}
        {file.vectorStoreFiles.map(({ vectorStoreId, status, usageBytes, lastError }) => (
          <li key={vectorStoreId}>
            <span className="flex flex-wrap items-center gap-x-3">
              <Status tone={toneOf(status)}>{wordOf(status)}</Status>
              <Link
                to={`/${slug}/assistants` as never}
                search={{ view: 'stores', open: vectorStoreId } as never}
                className="text-accent underline"
              >
                {names.get(vectorStoreId) || vectorStoreId}
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

type BatchOfFile = NonNullable<FileShownQuery['batches']>['data'][number];

function Batches({ file: { id }, batches }: { file: Shown; batches: readonly BatchOfFile[] }) {
  const slug = useWorkspaceSlug();
  const uses = batches.flatMap((batch) => {
    if (batch.inputFileId === id) return [{ batch: batch.id, as: 'has its calls from it' }];
    if (batch.outputFileId === id) return [{ batch: batch.id, as: 'wrote its answers into it' }];
    return batch.errorFileId === id ? [{ batch: batch.id, as: 'wrote its failures into it' }] : [];
  });
  if (uses.length === 0) return null;
  return (
    <Section title="Of the newest 100 batches">
      <ul className="flex flex-col gap-2 p-4">
        {uses.map(({ batch, as }) => (
          <li key={batch}>
            <Link
              to={`/${slug}/assistants` as never}
              search={{ view: 'batches' } as never}
              className="text-accent underline"
            >
              {batch}
            </Link>{' '}
            {as}
          </li>
        ))}
      </ul>
    </Section>
  );
}
