import { useDocument } from '../../../data/use-document.ts';
import { bytes, counted } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Code, type Column, Drawer, Notice, Status, Table } from '../../../ui/index.ts';
import { type FileCountsFragment, VectorStoresDocument, type VectorStoresQuery } from '../documents.ts';
import { Sentence } from './sentence.tsx';
import { LOOK_AGAIN_MS, toneOf, wordOf } from './statuses.ts';
import { StoreShown } from './store-shown.tsx';
import { useChosen } from './use-chosen.ts';

type Row = NonNullable<VectorStoresQuery['vectorStores']>['data'][number];

const isIndexing = ({ vectorStores }: VectorStoresQuery): boolean =>
  vectorStores?.data.some(({ status }) => status === 'in_progress') ?? false;

/** The vector stores of a workspace, the newest first. */
export function Stores() {
  const [chosen, choose] = useChosen();
  const query = useDocument(
    VectorStoresDocument,
    {},
    { askAgain: (answer) => (isIndexing(answer) ? LOOK_AGAIN_MS : null) },
  );
  return (
    <>
      <Asked query={query} what="Vector stores">
        {({ vectorStores }) =>
          !vectorStores || vectorStores.data.length === 0 ? (
            <Notice icon="search" title="No vector store yet">
              <p className="pb-3">A program makes one of files, and assistants search it:</p>
              <Code
                label="program"
                text={'client.vector_stores.create(name="Handbook", file_ids=[file.id])'}
              />
            </Notice>
          ) : (
            <>
              <Sentence
                of={vectorStores}
                noun="vector store"
                more={`${counted(failedIn(vectorStores.data), 'file')} could not be indexed`}
              />
              <StoreTable rows={vectorStores.data} onOpen={choose} />
            </>
          )
        }
      </Asked>
      <Drawer isOpen={chosen !== null} onClose={() => choose(null)} label="Vector store">
        {chosen && <StoreShown key={chosen} id={chosen} onClose={() => choose(null)} />}
      </Drawer>
    </>
  );
}

const failedIn = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + row.fileCounts.failed, 0);

/** `3 files, 1 failed, 1 waiting`. */
export function filesIn({ total, failed, inProgress, cancelled }: FileCountsFragment): string {
  const parts = [
    counted(total, 'file'),
    failed > 0 && `${failed} failed`,
    inProgress > 0 && `${inProgress} being indexed`,
    cancelled > 0 && `${cancelled} cancelled`,
  ];
  return parts.filter(Boolean).join(', ');
}

function StoreTable({ rows, onOpen }: { rows: readonly Row[]; onOpen(id: string): void }) {
  const [zone] = useZone();
  const columns: Column<Row>[] = [
    { key: 'name', head: 'Name', cell: ({ name, id }) => name || id },
    {
      key: 'status',
      head: 'Status',
      cell: ({ status }) => <Status tone={toneOf(status)}>{wordOf(status)}</Status>,
    },
    { key: 'files', head: 'Files', cell: ({ fileCounts }) => filesIn(fileCounts) },
    { key: 'size', head: 'Size', align: 'end', cell: ({ usageBytes }) => bytes(usageBytes) },
    {
      key: 'used',
      head: 'Last used',
      align: 'end',
      cell: ({ lastActiveAt }) => dateAndTime(lastActiveAt * 1000, zone),
    },
  ];
  return (
    <Table
      label="Vector stores"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      narrow={(row) => ({
        lead: row.name || row.id,
        side: wordOf(row.status),
        meta: filesIn(row.fileCounts),
      })}
    />
  );
}
