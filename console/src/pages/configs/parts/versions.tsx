import { useOperation } from '../../../data/use-document.ts';
import { dateAndTime } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, Section, say } from '../../../ui/index.ts';
import { RestoreConfigDocument } from '../documents.ts';
import type { Stored } from './config-detail.tsx';

/** What the config was before, to be had again. */
export function Versions({
  stored: { id, versionId, versions },
  onRestored,
}: {
  stored: Stored;
  onRestored(): void;
}) {
  const [zone] = useZone();
  const { refusal } = useMay('configs.update');
  const restore = useOperation(RestoreConfigDocument, {
    onDone() {
      say('The version is back, as a new one');
      onRestored();
    },
  });
  return (
    <Section title="Versions">
      {restore.error && <Banner tone="bad">{restore.error.message}</Banner>}
      <ul className="max-h-60 overflow-y-auto py-1">
        {versions.map((version) => (
          <li key={version.id} className="flex min-h-8 items-center gap-3 px-4">
            <span className="mono w-10">v{version.number}</span>
            <span className="flex-1 text-muted">{dateAndTime(version.createdAt, zone)}</span>
            {version.id === versionId ? (
              <span className="text-meta text-faint">now</span>
            ) : (
              <Button
                look="quiet"
                refusal={refusal}
                isBusy={restore.isPending}
                onClick={() => restore.mutate({ id, versionId: version.id })}
              >
                Restore
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
