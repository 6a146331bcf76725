import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { deed } from '../../format/deed.ts';
import { counted } from '../../format/number.ts';
import { exactTime } from '../../format/time.ts';
import { useSearch } from '../../shell/address.ts';
import { useRange } from '../../shell/range.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { useZone } from '../../shell/stored.ts';
import { Button, type Column, Drawer, Notice, Status, Table } from '../../ui/index.ts';
import { Page } from '../../ui/page.tsx';
import { AuditDocument, type AuditLogFilters } from './documents.ts';
import type { AuditEntry } from './parts/audit-entry.ts';
import { AuditFilters } from './parts/audit-filters.tsx';
import { Chain } from './parts/chain.tsx';
import { Entry } from './parts/entry.tsx';
import { useArrivals } from './parts/use-arrivals.ts';

const PAGE = 50;

/** Who changed what? */
export default function Audit() {
  const [search, change] = useSearch();
  const { from, to, isOpen } = useRange('7d');
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const page = Math.max(Number.parseInt(search.page ?? '0', 10) || 0, 0);
  const filters: AuditLogFilters = {
    ...(search.outcome && { outcome: search.outcome }),
    ...(search.resource && { resourceType: search.resource }),
    ...(search.action && { action: search.action }),
  };
  const query = useDocument(AuditDocument, { min: from, max: to, filters, page });
  useArrivals(isOpen && page === 0, filters);
  const total = query.data?.auditLogs?.total;
  return (
    <Page
      title="Audit"
      answer={
        total !== undefined && (
          <>
            {counted(total, 'change')} in this time, refused ones included. <Chain />
          </>
        )
      }
      actions={<AuditFilters facets={query.data?.auditLogFacets} />}
    >
      <Asked query={query} what="Changes">
        {({ auditLogs }) =>
          !auditLogs || auditLogs.records.length === 0 ? (
            <Notice
              icon="audit"
              title="Nobody has changed anything in this time"
              action={
                <Button onClick={() => change({ range: '90d', page: null })}>Look at the last 90 days</Button>
              }
            >
              Each change of keys, configs, people and settings stands here with who made it, from where, and
              what it was before; so does each that was refused.
            </Notice>
          ) : (
            <>
              <AuditTable entries={auditLogs.records} opened={opened} onOpen={setOpened} />
              <nav aria-label="Pages" className="flex items-center justify-end gap-2 px-4 py-3">
                <Button
                  icon="left"
                  refusal={page === 0 ? 'These are the newest.' : null}
                  onClick={() => change({ page: page === 1 ? null : String(page - 1) })}
                >
                  Newer
                </Button>
                <Button
                  icon="right"
                  refusal={(page + 1) * PAGE >= auditLogs.total ? 'These are the oldest.' : null}
                  onClick={() => change({ page: String(page + 1) })}
                >
                  Older
                </Button>
              </nav>
            </>
          )
        }
      </Asked>
      <Drawer isOpen={opened !== null} onClose={() => setOpened(null)} label="The change">
        {opened && <Entry entry={opened} onClose={() => setOpened(null)} />}
      </Drawer>
    </Page>
  );
}

type AuditTableProps = {
  entries: readonly AuditEntry[];
  opened: AuditEntry | null;
  onOpen(entry: AuditEntry): void;
};

function AuditTable({ entries, opened, onOpen }: AuditTableProps) {
  const [zone] = useZone();
  const columns: Column<AuditEntry>[] = [
    { key: 'time', head: 'Time', isMono: true, cell: ({ timestamp }) => exactTime(timestamp, zone) },
    { key: 'who', head: 'Who', cell: whoOf },
    { key: 'what', head: 'What', cell: deed, isName: true },
    { key: 'outcome', head: 'Outcome', cell: outcomeOf },
    { key: 'from', head: 'From', isMono: true, cell: ({ clientIp }) => clientIp },
    {
      key: 'place',
      head: 'Entry',
      align: 'end',
      isMono: true,
      cell: ({ sequence }) => (sequence ? `#${sequence}` : ''),
    },
  ];
  return (
    <Table
      label="Changes"
      columns={columns}
      rows={entries}
      keyOf={({ id }) => id}
      onOpen={onOpen}
      isChosen={({ id }) => id === opened?.id}
      narrow={(entry) => ({
        lead: `${whoOf(entry)} ${deed(entry)}`,
        side: entry.outcome === 'success' ? null : outcomeOf(entry),
        meta: exactTime(entry.timestamp, zone),
      })}
    />
  );
}

const whoOf = ({ userName, userType }: AuditEntry): string => userName ?? userType.replaceAll('_', ' ');

const outcomeOf = ({ outcome }: AuditEntry) =>
  outcome === 'success' ? <Status tone="ok">done</Status> : <Status tone="bad">{outcome}</Status>;
