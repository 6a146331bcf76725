import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useGo } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Button, Failure, Notice, Page, Section, SkeletonRows } from '../../ui/index.ts';
import { KeyShownDocument } from './documents.ts';
import { DangerZone } from './parts/danger-zone.tsx';
import { EditKey } from './parts/edit-key.tsx';
import { KeyFacts } from './parts/key-facts.tsx';
import { KeyUse } from './parts/key-use.tsx';
import { monthBefore } from './parts/month.ts';

const families = ['organisation_service_api_keys', 'workspace_service_api_keys', 'workspace_user_api_keys'];
const verb = (name: string): string[] => families.map((family) => `${family}.${name}`);

/** One key: who uses it, what it may do, and how it comes to an end. */
export function KeyDetail({ id }: { id: string }) {
  const go = useGo();
  const [month] = useState(monthBefore);
  const [isEditing, setEditing] = useState(false);
  const { may: use } = useMay('analytics.view');
  const update = useMay(...verb('update'));
  const { data, error, isPending, refetch } = useDocument(KeyShownDocument, { id, ids: [id], ...month, use });
  const key = data?.apiKey;
  if (error)
    return error.code === 'NOT_FOUND' ? (
      <Notice
        icon="keys"
        title="There is no such key"
        action={<Button onClick={() => go('keys')}>All keys</Button>}
      >
        It was deleted, or it is of a workspace that you are not in.
      </Notice>
    ) : (
      <Failure title="The key cannot be read" message={error.message} onRetry={() => void refetch()} />
    );
  if (isPending || !key) return <SkeletonRows />;
  return (
    <Page
      title={key.name}
      answer={key.description}
      actions={
        <>
          <Button icon="logs" onClick={() => go('logs', { q: `key:${quoted(key.name)}`, range: '30d' })}>
            Logs
          </Button>
          <Button icon="edit" refusal={update.refusal} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </>
      }
    >
      <div className="grid gap-4 px-4 pb-8 sm:px-6 xl:grid-cols-[1fr_400px]">
        <div className="flex min-w-0 flex-col gap-4">
          {data.analytics && <KeyUse use={data.analytics} />}
          <Section title={`May do (${key.scopes.length})`}>
            <ul className="flex flex-wrap gap-1.5 p-4">
              {key.scopes.map((scope) => (
                <li key={scope} className="mono rounded-[4px] bg-sunken px-1.5 text-muted">
                  {scope}
                </li>
              ))}
            </ul>
          </Section>
          <DangerZone keyShown={key} />
        </div>
        <KeyFacts of={key} />
      </div>
      {isEditing && <EditKey of={key} onClose={() => setEditing(false)} />}
    </Page>
  );
}

const quoted = (name: string): string => (/[\s"]/.test(name) ? JSON.stringify(name) : name);
