import { counted } from '../../../format/number.ts';
import { duration } from '../../../format/time.ts';
import { Status } from '../../../ui/index.ts';
import type { TryProviderMutation } from '../documents.ts';

/** What the provider said to a test, in its own words. */
export function Verdict({ result }: { result: TryProviderMutation['testIntegration'] }) {
  const { ok, status, latencyMs, providerMessage, hint, models } = result;
  const facts = [
    status === null ? null : String(status),
    duration(latencyMs),
    models ? counted(models.length, 'model') : null,
  ].filter(Boolean);
  return (
    <div role="status" className="flex flex-col gap-0.5">
      <Status tone={ok ? 'ok' : 'bad'}>{facts.join(' · ')}</Status>
      {providerMessage && <p className="mono break-words text-muted">{providerMessage}</p>}
      {hint && <p className="text-muted">{hint}</p>}
    </div>
  );
}
