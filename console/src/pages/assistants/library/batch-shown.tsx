import { Link } from '@tanstack/react-router';
import { useOperation } from '../../../data/use-document.ts';
import { money } from '../../../format/money.ts';
import { count } from '../../../format/number.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Id, Section, Status } from '../../../ui/index.ts';
import { BatchesDocument, type BatchRowFragment, CancelBatchDocument } from '../documents.ts';
import { TraceLink } from '../parts/trace-link.tsx';
import { isUnderWay } from './batches.tsx';
import { PartHead } from './part-head.tsx';
import { toneOf, wordOf } from './statuses.ts';

/** One batch: how far it is, what went wrong, and its files. */
export function BatchShown({ batch, onClose }: { batch: BatchRowFragment; onClose(): void }) {
  const { id, endpoint, status, requestCounts, cost, traceId, errors } = batch;
  const { total, completed, failed } = requestCounts;
  const { refusal } = useMay('completions.write');
  const cancel = useOperation(CancelBatchDocument, { changes: [BatchesDocument.name] });
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <PartHead
        title={endpoint}
        onClose={onClose}
        actions={
          isUnderWay(batch) &&
          status !== 'cancelling' && (
            <Button refusal={refusal} isBusy={cancel.isPending} onClick={() => cancel.mutate({ id })}>
              Cancel the batch
            </Button>
          )
        }
      />
      <div className="flex flex-col gap-4 p-4">
        {cancel.error && <Banner tone="bad">{cancel.error.message}</Banner>}
        <p className="flex flex-wrap gap-x-3">
          <Status tone={toneOf(status)}>{wordOf(status)}</Status>
          <span>
            {count(completed)} succeeded, {count(failed)} failed, {count(total - completed - failed)} left of{' '}
            {count(total)}
          </span>
          {cost !== null && <span>{money(cost)}</span>}
          <TraceLink id={traceId} />
        </p>
        <Id className="-ml-1 self-start">{id}</Id>
        {errors && (
          <Section title="What is wrong with its input">
            <ul className="p-4 text-bad">
              {errors.data.map(({ line, message }) => (
                <li key={`${line}-${message}`}>
                  {line === null ? '' : `Line ${line}: `}
                  {message}
                </li>
              ))}
            </ul>
          </Section>
        )}
        <FilesOf batch={batch} />
      </div>
    </div>
  );
}

function FilesOf({ batch: { inputFileId, outputFileId, errorFileId } }: { batch: BatchRowFragment }) {
  const slug = useWorkspaceSlug();
  const files = [
    { what: 'Its calls', id: inputFileId },
    { what: 'Answers', id: outputFileId },
    { what: 'Calls that failed', id: errorFileId },
  ];
  return (
    <Section title="Files">
      <ul className="p-4">
        {files.map(({ what, id }) =>
          id === null ? null : (
            <li key={what} className="min-h-6">
              {what}:{' '}
              <Link
                to={`/${slug}/assistants` as never}
                search={{ view: 'files', open: id } as never}
                className="text-accent underline"
              >
                {id}
              </Link>
            </li>
          ),
        )}
      </ul>
    </Section>
  );
}
