import { useDocument } from '../../../data/use-document.ts';
import { bytes, counted } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Code, type Column, Drawer, Notice, Table } from '../../../ui/index.ts';
import { FilesDocument, type FilesQuery } from '../documents.ts';
import { FileShown } from './file-shown.tsx';
import { Sentence } from './sentence.tsx';
import { useChosen } from './use-chosen.ts';

type Row = NonNullable<FilesQuery['files']>['data'][number];

/** The files of a workspace, the newest first. */
export function Files() {
  const [chosen, choose] = useChosen();
  const query = useDocument(FilesDocument, {});
  return (
    <>
      <Asked query={query} what="Files">
        {({ files }) =>
          !files || files.data.length === 0 ? (
            <Notice icon="logs" title="No file yet">
              <p className="pb-3">Programs bring files, for vector stores, batches and code:</p>
              <Code
                label="program"
                text={'client.files.create(file=open("a.pdf", "rb"), purpose="assistants")'}
              />
            </Notice>
          ) : (
            <>
              <Sentence of={files} noun="file" more={`${bytes(sumOf(files.data))} together`} />
              <FileTable rows={files.data} onOpen={choose} />
            </>
          )
        }
      </Asked>
      <Drawer isOpen={chosen !== null} onClose={() => choose(null)} label="File">
        {chosen && <FileShown key={chosen} id={chosen} onClose={() => choose(null)} />}
      </Drawer>
    </>
  );
}

const sumOf = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + row.bytes, 0);

function FileTable({ rows, onOpen }: { rows: readonly Row[]; onOpen(id: string): void }) {
  const [zone] = useZone();
  const columns: Column<Row>[] = [
    { key: 'name', head: 'Name', cell: ({ filename }) => filename },
    { key: 'purpose', head: 'For', cell: ({ purpose }) => purpose.replaceAll('_', ' ') },
    { key: 'stores', head: 'In', cell: storesOf },
    { key: 'size', head: 'Size', align: 'end', cell: ({ bytes: size }) => bytes(size) },
    {
      key: 'stored',
      head: 'Stored',
      align: 'end',
      cell: ({ createdAt }) => dateAndTime(createdAt * 1000, zone),
    },
    {
      key: 'until',
      head: 'Until',
      align: 'end',
      cell: ({ expiresAt }) => (expiresAt === null ? 'deleted' : dateAndTime(expiresAt * 1000, zone)),
    },
  ];
  return (
    <Table
      label="Files"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      narrow={(row) => ({ lead: row.filename, side: bytes(row.bytes), meta: storesOf(row) })}
    />
  );
}

function storesOf({ vectorStoreFiles }: Row): string {
  const failed = vectorStoreFiles.filter(({ status }) => status === 'failed').length;
  if (vectorStoreFiles.length === 0) return 'no vector store';
  const stores = counted(vectorStoreFiles.length, 'vector store');
  return failed === 0 ? stores : `${stores}, failed in ${failed}`;
}
