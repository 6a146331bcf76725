import { useMemo, useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Refused } from '../../shell/states/asked.tsx';
import { Banner, Button, inputClasses, Notice, Page, Select, SkeletonRows, Table } from '../../ui/index.ts';
import { KeyDetail } from './detail.tsx';
import { type ApiKeyStatus, KeysDocument } from './documents.ts';
import { keyColumns, narrowKey } from './parts/columns.tsx';
import { CreateKey } from './parts/create-key.tsx';
import { monthBefore } from './parts/month.ts';

export { KeyDetail as Detail };

const statuses = [
  { value: 'all', label: 'Every state' },
  { value: 'active', label: 'Active' },
  { value: 'exhausted', label: 'Used up' },
  { value: 'expired', label: 'Expired' },
] as const;

/** Who can call us, with what, and who did? */
export default function Keys() {
  const [search, change] = useSearch();
  const workspace = useWorkspace();
  const go = useGo();
  const create = useMay(
    'workspace_service_api_keys.create',
    'workspace_user_api_keys.create',
    'organisation_service_api_keys.create',
  );
  const { may: mayAnalyse } = useMay('analytics.view');
  const [month] = useState(monthBefore);
  const status = (search.status ?? 'all') as (typeof statuses)[number]['value'];
  const { data, error, isPending, refetch } = useDocument(KeysDocument, {
    name: search.q ?? null,
    status: status === 'all' ? null : (status as ApiKeyStatus),
    ...month,
    use: mayAnalyse,
    workspace,
  });
  const isCreating = search.new !== undefined;
  const setCreating = (isOpen: boolean) => change({ new: isOpen ? 'key' : null }, !isOpen);
  useKeys({ '/': () => document.getElementById('key-name')?.focus() });
  const uses = useMemo(
    () => new Map((data?.analytics?.groups.data ?? []).map((group) => [group.value, group])),
    [data],
  );
  // What somebody may not see any more does not stay in sight.
  const keys = (error?.code !== 'FORBIDDEN' && data?.apiKeys?.data) || [];
  const isFiltered = search.q !== undefined || status !== 'all';
  const expiring = keys.filter(({ expiresAt }) => isSoon(expiresAt));

  return (
    <Page
      title="Keys"
      answer={data?.apiKeys && answerOf(data.apiKeys.total, expiring.length, isFiltered)}
      actions={
        <>
          <input
            id="key-name"
            aria-label="Part of a name"
            placeholder="Name"
            defaultValue={search.q ?? ''}
            maxLength={255}
            onChange={({ target }) => change({ q: target.value.trim() || null }, true)}
            className={inputClasses('sm:w-44')}
          />
          <Select
            label="State"
            choices={statuses}
            value={status}
            onChange={(value) => change({ status: value === 'all' ? null : value })}
          />
          <Button look="primary" icon="plus" refusal={create.refusal} onClick={() => setCreating(true)}>
            New key
          </Button>
        </>
      }
    >
      {error && keys.length > 0 && (
        <div className="px-4 pb-3 sm:px-6">
          <Banner tone="bad" action={<Button onClick={() => void refetch()}>Retry</Button>}>
            {error.message} What was read before stays.
          </Banner>
        </div>
      )}
      {isPending ? (
        <SkeletonRows />
      ) : error && keys.length === 0 ? (
        <Refused error={error} what="Keys" onRetry={() => void refetch()} />
      ) : keys.length === 0 ? (
        <Notice
          icon="keys"
          title={isFiltered ? 'No key is like that' : 'There is no key yet'}
          action={
            isFiltered ? (
              <Button onClick={() => change({ q: null, status: null })}>Show all</Button>
            ) : (
              <Button look="primary" icon="plus" refusal={create.refusal} onClick={() => setCreating(true)}>
                New key
              </Button>
            )
          }
        >
          A program calls with a key, and every call is logged under it.
        </Notice>
      ) : (
        <Table
          label="Keys"
          columns={keyColumns(uses, mayAnalyse)}
          rows={keys}
          keyOf={({ id }) => id}
          narrow={narrowKey(uses)}
          onOpen={({ id }) => go(`keys/${id}`)}
        />
      )}
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </Page>
  );
}

const WEEK_MS = 7 * 86_400_000;

const isSoon = (expiresAt: string | null): boolean => {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
  return left > 0 && left < WEEK_MS;
};

function answerOf(total: number, expiring: number, isFiltered: boolean): string {
  const many = `${counted(total, 'key')}${isFiltered ? ' like that' : ''}`;
  return expiring === 0
    ? `${many}; none expires within a week.`
    : `${many}; ${expiring} within a week of expiring.`;
}
