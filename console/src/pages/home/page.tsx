import { useDocument } from '../../data/use-document.ts';
import { useRange } from '../../shell/range.ts';
import { mayAny, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { useActivity } from '../../shell/use-activity.ts';
import { Page } from '../../ui/page.tsx';
import { HomeDocument } from './documents.ts';
import { Attention } from './parts/attention.tsx';
import { concernsOf } from './parts/concerns.ts';
import { Changes, Failures } from './parts/events.tsx';
import { Figures } from './parts/figures.tsx';
import { NothingYet } from './parts/nothing-yet.tsx';
import { Providers } from './parts/providers.tsx';
import { sentenceOf, toneOf } from './parts/sentence.ts';
import { Top } from './parts/top.tsx';

/** Is it healthy, what does it cost, what changed? */
export default function Home() {
  const { from, to, isOpen, renew } = useRange();
  const viewer = useViewer();
  const span = Date.parse(to) - Date.parse(from);
  const query = useDocument(HomeDocument, {
    before: new Date(Date.parse(from) - span).toISOString(),
    min: from,
    max: to,
    mayLogs: mayAny(viewer, ['logs.list']),
    mayAudit: mayAny(viewer, ['audit_logs.list']),
    mayKeys: viewer.permissions.some((scope) => scope.endsWith('_api_keys.list')),
    mayConfigs: mayAny(viewer, ['configs.list']),
    mayLimits: mayAny(viewer, ['policies.list']),
  });
  useActivity(isOpen && mayAny(viewer, ['logs.list']), renew);
  const { data } = query;
  return (
    <Page title="Home" answer={data && sentenceOf(data)}>
      <Asked query={query} what="Figures">
        {(answer) =>
          answer.now?.requests.summary.total === 0 ? (
            <NothingYet />
          ) : (
            <div className="flex flex-col gap-4 px-4 pb-8 sm:px-6">
              <Figures answer={answer} />
              <Attention concerns={concernsOf(answer, toneOf(answer) !== 'ok', Date.now())} />
              <div className="grid gap-4 lg:grid-cols-3">
                <Providers groups={answer.now?.providers.data ?? []} />
                <Top title="Top models, by cost" field="model" groups={answer.now?.models.data ?? []} />
                <Top
                  title="Top keys, by cost"
                  field="key"
                  groups={answer.now?.keys.data ?? []}
                  names={new Map(answer.apiKeys?.data.map(({ id, name }) => [id, name]))}
                />
              </div>
              <div className="grid gap-4 lg:grid-cols-2">
                {answer.failures && <Failures logs={answer.failures.data} />}
                {answer.changes && <Changes entries={answer.changes.records} />}
              </div>
            </div>
          )
        }
      </Asked>
    </Page>
  );
}
