import { counted } from '../../../format/number.ts';
import { duration } from '../../../format/time.ts';
import { Banner } from '../../../ui/index.ts';
import type { TestProviderMutation } from '../documents.ts';

/** What a provider said when it was tried, in its own words. */
export function TestResult({ result }: { result: TestProviderMutation['testIntegration'] }) {
  const { ok, status, latencyMs, providerMessage, hint, models } = result;
  const first = [status ?? 'no answer', `in ${duration(latencyMs)}`].join(' ');
  return (
    <Banner tone={ok ? 'ok' : 'bad'}>
      {ok ? (
        <>
          It works: {first}
          {models ? `, ${counted(models.length, 'model')}` : ''}.
        </>
      ) : (
        <>
          {first}
          {providerMessage ? `: “${providerMessage}”` : '.'} {hint}
        </>
      )}
    </Banner>
  );
}
