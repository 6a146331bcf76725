import { useDocument } from '../../../data/use-document.ts';
import { count, counted } from '../../../format/number.ts';
import { dateAndTime } from '../../../format/time.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { CopyButton, Section } from '../../../ui/index.ts';
import { InstalledDocument, type InstalledQuery } from '../documents.ts';

type Installation = NonNullable<InstalledQuery['installation']>;

/** How this installation runs, to be read and to be sent to whoever helps. */
export function Installed() {
  const query = useDocument(InstalledDocument, {});
  return (
    <div className="max-w-200 py-4">
      <Asked query={query} what="The installation">
        {({ installation }) =>
          installation && (
            <div className="px-4 sm:px-6">
              <Facts of={installation} />
            </div>
          )
        }
      </Asked>
    </div>
  );
}

function Facts({ of }: { of: Installation }) {
  const [zone] = useZone();
  const { logQueue, retention, subgraphs, features } = of;
  const away = subgraphs.filter(({ state }) => state !== 'up');
  const facts: [string, string][] = [
    ['Version', of.version],
    ['Running since', dateAndTime(of.startedAt, zone)],
    ['Address', of.publicUrl ?? 'not set'],
    ['Store', of.storage ?? 'unknown'],
    ['Store answers', of.databaseUp ? 'yes' : 'no: calls are served from memory'],
    ['Processes', count(of.workers)],
    ['Logs are kept', `${counted(retention.logDays, 'day')}, bodies ${counted(retention.bodyDays, 'day')}`],
    [
      'Queue of logs',
      `${count(logQueue.waiting)} waiting, ${count(logQueue.spooled)} on disk, ${count(logQueue.dropped)} lost`,
    ],
    ['Subgraphs', away.length === 0 ? `all ${subgraphs.length} up` : away.map(({ name }) => name).join(', ')],
    ['Switched on', features.map((feature) => feature.replaceAll('_', ' ')).join(', ') || 'nothing'],
  ];
  return (
    <Section
      title="Installation"
      actions={<CopyButton label="Copy as JSON" text={JSON.stringify(of, null, 2)} />}
    >
      <dl className="p-4">
        {facts.map(([name, value]) => (
          <div key={name} className="grid min-h-8 grid-cols-[140px_1fr] items-center gap-2">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
