import { useMemo, useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { count, counted, percent } from '../../format/number.ts';
import { useGo } from '../../shell/address.ts';
import { mayAny, useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Button, type Column, Notice, Sparkline, Status, Table } from '../../ui/index.ts';
import { Page } from '../../ui/page.tsx';
import { ProvidersDocument, type ProvidersQuery } from './documents.ts';
import { AddProvider } from './parts/add-provider.tsx';

export { ProviderDetail as Detail } from './parts/provider-detail.tsx';

type Row = NonNullable<ProvidersQuery['integrations']>['data'][number];
type Health = NonNullable<ProvidersQuery['analytics']>['groups']['data'][number];

const DAY_MS = 24 * 3_600_000;

/** Which models can we reach, and do they work now? */
export default function Providers() {
  const [isAdding, setAdding] = useState(false);
  const { refusal } = useMay('organisation_integrations.create', 'workspace_integrations.create');
  const mayFigures = mayAny(useViewer(), ['analytics.view']);
  const times = useMemo(() => {
    const now = Date.now();
    return { min: new Date(now - DAY_MS).toISOString(), max: new Date(now).toISOString() };
  }, []);
  const query = useDocument(ProvidersDocument, { ...times, mayFigures });
  const health = new Map(query.data?.analytics?.groups.data.map((group) => [group.value, group]));
  const add = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => setAdding(true)}>
      Add a provider
    </Button>
  );
  return (
    <Page
      title="Providers"
      answer={query.data?.integrations && sentenceOf(query.data.integrations.data, health)}
      actions={add}
    >
      <Asked query={query} what="Providers">
        {({ integrations }) =>
          !integrations || integrations.total === 0 ? (
            <Notice icon="providers" title="No provider yet" action={add}>
              Connect OpenAI, Anthropic, Gemini or one of sixty others with its key. The test before you save
              says in the provider's own words whether it works.
            </Notice>
          ) : (
            <ProviderTable rows={integrations.data} health={health} />
          )
        }
      </Asked>
      <AddProvider isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function ProviderTable({
  rows,
  health,
}: {
  rows: readonly Row[];
  health: ReadonlyMap<string | null, Health>;
}) {
  const go = useGo();
  const columns: Column<Row>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => name },
    { key: 'slug', head: 'Slug', isMono: true, cell: ({ slug }) => `@${slug}` },
    { key: 'kind', head: 'Kind', isMono: true, cell: ({ aiProviderId }) => aiProviderId },
    { key: 'health', head: 'Answers, 24 h', cell: ({ slug }) => <Answers of={health.get(slug)} /> },
    {
      key: 'requests',
      head: 'Requests',
      align: 'end',
      cell: ({ slug }) => count(health.get(slug)?.requests ?? 0),
    },
    { key: 'models', head: 'Models', align: 'end', cell: modelsOf },
    { key: 'workspaces', head: 'Workspaces', align: 'end', cell: (row) => workspacesOf(row) },
    { key: 'key', head: 'Key', isMono: true, cell: ({ maskedKey }) => maskedKey ?? '' },
  ];
  return (
    <Table
      label="Providers"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ slug }) => go(`providers/${slug}`)}
      narrow={(row) => ({
        lead: row.name,
        side: <Answers of={health.get(row.slug)} />,
        meta: `@${row.slug} · ${row.aiProviderId} · ${modelsOf(row)} models`,
      })}
    />
  );
}

const modelsOf = ({ allowAllModels, modelCount }: Row): string =>
  allowAllModels ? 'all' : count(modelCount);
const workspacesOf = ({ workspaceId, workspaceCount }: Row): string =>
  workspaceId === null ? count(workspaceCount) : 'its own';

function Answers({ of }: { of: Health | undefined }) {
  if (!of || of.requests === 0) return <span className="text-faint">no calls</span>;
  const { successRate, dataPoints, value } = of;
  return (
    <span className="flex items-center gap-3">
      <Status tone={toneOf(successRate)}>{percent(successRate / 100)}</Status>
      <Sparkline
        values={dataPoints.map((point) => point.value)}
        title={`Errors of ${value} over the day`}
        colour="bad"
        width={64}
        height={18}
      />
    </span>
  );
}

const toneOf = (rate: number) => (rate >= 98 ? 'ok' : rate >= 90 ? 'warn' : 'bad');

function sentenceOf(rows: readonly Row[], health: ReadonlyMap<string | null, Health>): string {
  const failing = rows.filter(({ slug }) => (health.get(slug)?.successRate ?? 100) < 90);
  const state =
    failing.length === 0
      ? 'all that were called today answer'
      : `${failing.map(({ slug }) => `@${slug}`).join(', ')} ${failing.length === 1 ? 'fails' : 'fail'} often`;
  return `${counted(rows.length, 'provider')}; ${state}.`;
}
