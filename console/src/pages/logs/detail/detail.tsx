import { useEffect } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { useGo } from '../../../shell/address.ts';
import { Failure, IconButton, Notice, Page, SkeletonRows } from '../../../ui/index.ts';
import { LogShownDocument } from '../documents.ts';
import { Attempts } from './attempts.tsx';
import { DetailHead } from './head.tsx';
import { DetailTabs } from './tabs.tsx';

/** Why this answer, this price, this time? */
export function LogDetail({ id, onClose }: { id: string; onClose?(): void }) {
  const { data, error, isPending, refetch } = useDocument(LogShownDocument, { id }, { freshFor: 60_000 });
  const close = onClose && <IconButton icon="cross" label="Close" onClick={onClose} />;
  const log = data?.log?.id === id ? data.log : null;
  if (error)
    return (
      <>
        <div className="flex justify-end p-2">{close}</div>
        {error.code === 'NOT_FOUND' ? (
          <Notice icon="search" title="There is no such log">
            It may be older than logs are kept, or of a workspace that you are not in.
          </Notice>
        ) : (
          <Failure title="The log cannot be read" message={error.message} onRetry={() => void refetch()} />
        )}
      </>
    );
  if (isPending || !log) return <SkeletonRows />;
  return (
    <article className="flex min-h-0 flex-1 flex-col overflow-y-auto" aria-label={`Log ${log.id}`}>
      <DetailHead log={log} close={close} />
      <Attempts log={log} />
      <DetailTabs log={log} />
    </article>
  );
}

/** The same as a page of its own, for links and narrow windows. */
export function LogDetailPage({ id }: { id: string }) {
  const go = useGo();
  useEffect(() => {
    document.title = `Log ${id} · Sluice`;
    return () => {
      document.title = 'Sluice';
    };
  }, [id]);
  return (
    <Page
      title="Log"
      isWhole
      actions={<IconButton icon="left" label="All logs" onClick={() => go('logs')} />}
    >
      <div className="flex min-h-0 flex-1 flex-col border-t border-line bg-surface">
        <LogDetail id={id} />
      </div>
    </Page>
  );
}
