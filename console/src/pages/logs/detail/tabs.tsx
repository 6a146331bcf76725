import type { ReactNode } from 'react';
import { Checks } from '../../../checks/findings.tsx';
import { guardrailsOf } from '../../../checks/ran.ts';
import { useSearch } from '../../../shell/address.ts';
import { Banner, Code, type Tab, Tabs } from '../../../ui/index.ts';
import { Conversation } from './conversation.tsx';
import { Cost } from './cost.tsx';
import type { ShownLog } from './head.tsx';
import { JsonView } from './json-view.tsx';
import { readConversation } from './messages.ts';
import { Routing } from './routing.tsx';

type Recorded = { body?: unknown; headers?: unknown; truncated: boolean };

/** All that is known of one log, a part at a time; which one is in the address. */
export function DetailTabs({ log }: { log: ShownLog }) {
  const [search, change] = useSearch();
  const tabs = tabsOf(log);
  const value = tabs.some((tab) => tab.value === search.tab) ? (search.tab ?? '') : (tabs[0]?.value ?? '');
  return (
    <Tabs
      label="Parts of the log"
      tabs={tabs}
      value={value}
      onChange={(next) => change({ tab: next === tabs[0]?.value ? null : next }, true)}
    />
  );
}

function tabsOf(log: ShownLog): Tab[] {
  const messages = readConversation(log.request?.body, log.response?.body);
  const ran = guardrailsOf(log);
  const metadata = (log.metadata ?? {}) as Record<string, unknown>;
  return [
    ...(messages.length > 0
      ? [{ value: 'talk', label: 'Conversation', panel: <Conversation messages={messages} /> }]
      : []),
    { value: 'request', label: 'Request', panel: <Body recorded={log.request} what="request" /> },
    ...(log.transformedRequest
      ? [
          {
            value: 'sent',
            label: 'As sent',
            panel: <Body recorded={log.transformedRequest} what="request" />,
          },
        ]
      : []),
    { value: 'answer', label: 'Answer', panel: <Body recorded={log.response} what="answer" /> },
    ...(log.originalResponse
      ? [
          {
            value: 'words',
            label: "Provider's words",
            panel: <Body recorded={log.originalResponse} what="answer" />,
          },
        ]
      : []),
    { value: 'cost', label: 'Cost', panel: <Cost log={log} /> },
    ...(log.routing.length > 0
      ? [{ value: 'routing', label: 'Routing', panel: <Routing steps={log.routing} /> }]
      : []),
    ...(ran.length > 0
      ? [{ value: 'checks', label: 'Checks', note: ran.length, panel: <Checks ran={ran} /> }]
      : []),
    {
      value: 'metadata',
      label: 'Metadata',
      note: Object.keys(metadata).length || undefined,
      panel: <Metadata metadata={metadata} log={log} />,
    },
  ];
}

const Panel = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-col gap-4 px-4 py-4 sm:px-6">{children}</div>
);

function Body({ recorded, what }: { recorded: Recorded | null; what: string }) {
  if (!recorded)
    return (
      <Panel>
        <Banner tone="info">
          The {what} was not stored, or is not kept any longer. Headers and bodies are stored where the
          settings of the workspace say so.
        </Banner>
      </Panel>
    );
  return (
    <Panel>
      {recorded.truncated && (
        <Banner tone="warn">
          Only the beginning of the body was stored: it was larger than bodies may be.
        </Banner>
      )}
      <JsonView value={recorded.body ?? null} name={`${what}.json`} />
      <section>
        <h3 className="mb-1 text-meta font-[560] text-muted">Headers</h3>
        <JsonView value={recorded.headers ?? {}} name={`${what}-headers.json`} />
      </section>
    </Panel>
  );
}

function Metadata({ metadata, log }: { metadata: Record<string, unknown>; log: ShownLog }) {
  const entries = Object.entries(metadata);
  return (
    <Panel>
      {entries.length === 0 ? (
        <p className="text-muted">The call came without metadata. Callers send it as x-gateway-metadata.</p>
      ) : (
        <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
          {entries.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="text-muted">{key}</dt>
              <dd className="mono break-all">{String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <Code
        label="facts"
        text={[
          `span      ${log.spanId}`,
          `target    ${log.lastUsedOptionJsonPath || '-'}`,
          `source    ${log.source ?? '-'}`,
          `workspace ${log.workspaceSlug ?? log.workspaceId}`,
        ].join('\n')}
      />
    </Panel>
  );
}
