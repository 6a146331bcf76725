import { useDocument } from '../../../data/use-document.ts';
import { count } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Code, type Column, Drawer, Meter, Notice, Status, Table } from '../../../ui/index.ts';
import { BatchesDocument, type BatchesQuery, type BatchRowFragment } from '../documents.ts';
import { BatchShown } from './batch-shown.tsx';
import { Sentence } from './sentence.tsx';
import { LOOK_AGAIN_MS, toneOf, wordOf } from './statuses.ts';
import { useChosen } from './use-chosen.ts';

const underWay = ['validating', 'in_progress', 'finalizing', 'cancelling'];

/** Whether something happens in a batch. */
export const isUnderWay = ({ status }: Pick<BatchRowFragment, 'status'>): boolean =>
  underWay.includes(status);

const waits = ({ batches }: BatchesQuery): boolean => batches?.data.some(isUnderWay) ?? false;

/** The batches of a workspace, the newest first. */
export function Batches() {
  const [chosen, choose] = useChosen();
  const query = useDocument(
    BatchesDocument,
    {},
    { askAgain: (answer) => (waits(answer) ? LOOK_AGAIN_MS : null) },
  );
  const shown = query.data?.batches?.data.find(({ id }) => id === chosen);
  return (
    <>
      <Asked query={query} what="Batches">
        {({ batches }) =>
          !batches || batches.data.length === 0 ? (
            <Notice icon="columns" title="No batch yet">
              <p className="pb-3">A program hands over a file of calls, which are made within a day:</p>
              <Code label="program" text={program} />
            </Notice>
          ) : (
            <>
              <Sentence
                of={batches}
                noun="batch"
                plural="batches"
                more={`${batches.data.filter(isUnderWay).length} under way`}
              />
              <BatchTable rows={batches.data} onOpen={choose} />
            </>
          )
        }
      </Asked>
      <Drawer isOpen={shown !== undefined} onClose={() => choose(null)} label="Batch">
        {shown && <BatchShown key={shown.id} batch={shown} onClose={() => choose(null)} />}
      </Drawer>
    </>
  );
}

const program =
  'client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")';

const doneOf = ({ requestCounts: { total, completed, failed } }: BatchRowFragment): string =>
  `${count(completed + failed)} of ${count(total)}${failed > 0 ? `, ${count(failed)} failed` : ''}`;

function BatchTable({ rows, onOpen }: { rows: readonly BatchRowFragment[]; onOpen(id: string): void }) {
  const [zone] = useZone();
  const columns: Column<BatchRowFragment>[] = [
    { key: 'id', head: 'Batch', isMono: true, cell: ({ id }) => id },
    { key: 'endpoint', head: 'Calls', isMono: true, cell: ({ endpoint }) => endpoint },
    {
      key: 'status',
      head: 'Status',
      cell: ({ status }) => <Status tone={toneOf(status)}>{wordOf(status)}</Status>,
    },
    { key: 'bar', head: 'Progress', cell: (row) => <Progress batch={row} /> },
    { key: 'done', head: 'Done', align: 'end', cell: doneOf },
    {
      key: 'made',
      head: 'Made',
      align: 'end',
      cell: ({ createdAt }) => dateAndTime(createdAt * 1000, zone),
    },
  ];
  return (
    <Table
      label="Batches"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      narrow={(row) => ({ lead: row.endpoint, side: wordOf(row.status), meta: doneOf(row) })}
    />
  );
}

function Progress({ batch: { requestCounts } }: { batch: BatchRowFragment }) {
  const { total, completed, failed } = requestCounts;
  const share = total === 0 ? 0 : (completed + failed) / total;
  return <Meter share={share} label="Done" tone={failed > 0 ? 'warn' : 'accent'} />;
}
