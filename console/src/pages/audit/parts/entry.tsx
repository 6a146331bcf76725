import { deed } from '../../../format/deed.ts';
import { exactTime } from '../../../format/time.ts';
import { useZone } from '../../../shell/stored.ts';
import { Code, IconButton, Id } from '../../../ui/index.ts';
import type { AuditEntry } from './audit-entry.ts';

/** One change: a sentence, what it was before and after, and how it can be proven. */
export function Entry({ entry, onClose }: { entry: AuditEntry; onClose(): void }) {
  const [zone] = useZone();
  const { timestamp, userName, userType, clientIp, userAgent, requestId, sequence, hash, targetId } = entry;
  const facts: [string, string | null][] = [
    ['Who', `${userName ?? 'nobody known'} (${userType.replaceAll('_', ' ')})`],
    ['From', `${clientIp} · ${userAgent}`],
    ['Answer', `${entry.responseStatusCode} ${entry.outcome}`],
    ['Place in the chain', sequence === null ? null : `#${sequence}`],
  ];
  const ids: [string, string | null][] = [
    ['Target', targetId],
    ['Request', requestId],
    ['Digest before', entry.beforeDigest],
    ['Digest after', entry.afterDigest],
    ['Hash of the entry', hash],
  ];
  return (
    <div className="flex min-h-0 flex-col gap-4 overflow-y-auto p-4">
      <header className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <h2 className="text-lead font-[560]">
            {userName ?? 'Somebody'} {deed(entry)}
          </h2>
          <p className="text-muted">{exactTime(timestamp, zone)}</p>
        </div>
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </header>
      {entry.changes.length > 0 && (
        <table className="w-full text-left">
          <caption className="pb-1 text-left text-meta text-faint">What it changed</caption>
          <thead className="text-meta text-faint">
            <tr>
              <th className="font-[480]">Member</th>
              <th className="font-[480]">Before</th>
              <th className="font-[480]">After</th>
            </tr>
          </thead>
          <tbody>
            {entry.changes.map(({ member, before, after }) => (
              <tr key={member} className="border-t border-line align-top">
                <td className="mono py-1 pr-3">{member}</td>
                <td className="mono py-1 pr-3 break-all">{shown(before)}</td>
                <td className="mono py-1 break-all">{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1">
        {facts.map(([name, value]) => value && <Fact key={name} name={name} value={value} />)}
        {ids.map(
          ([name, value]) =>
            value && (
              <div key={name} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="min-w-0">
                  <Id className="-ml-1">{value}</Id>
                </dd>
              </div>
            ),
        )}
      </dl>
      {entry.requestBody && <Code text={pretty(entry.requestBody)} label="What was asked for" />}
    </div>
  );
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div className="contents">
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 break-words">{value}</dd>
  </div>
);

const shown = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // A body that was cut is no JSON any more.
    return text;
  }
}
