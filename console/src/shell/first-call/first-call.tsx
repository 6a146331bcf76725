import { useEffect, useState } from 'react';
import { listen } from '../../data/stream.ts';
import { money } from '../../format/money.ts';
import { clock, duration } from '../../format/time.ts';
import { Banner, Code, Icon, Segments } from '../../ui/index.ts';
import { useZone } from '../stored.ts';
import { FirstCallDocument, type FirstCallSubscription } from './documents.ts';
import { callAddress, type Language, languages, snippet } from './snippets.ts';

type Call = FirstCallSubscription['logsAdded']['data'][number];

type FirstCallProps = {
  keyId: string;
  secret: string;
  model: string;
  workspace: string | null;
  onSuccess?(): void;
};

/** Milliseconds of silence after which something may be wrong with what was pasted. */
const SILENCE_MS = 60_000;

/** A program to paste, and the moment in which its request arrives. */
export function FirstCall({ keyId, secret, model, workspace, onSuccess }: FirstCallProps) {
  const [language, setLanguage] = useState<Language>('curl');
  const { call, isSilent } = useFirstCall(keyId, workspace, onSuccess);
  return (
    <div className="flex flex-col gap-3">
      <Segments<Language> label="Language" choices={languages} value={language} onChange={setLanguage} />
      <Code label="program" text={snippet(language, callAddress(), secret, model)} />
      <Arrival call={call} />
      {isSilent && !call && (
        <Banner tone="info">
          Nothing came in a minute. A wrong key leaves no log: paste this one line where the program runs.
          <Code className="mt-2" label="command" text={snippet('curl', callAddress(), secret, model)} />
        </Banner>
      )}
    </div>
  );
}

function useFirstCall(keyId: string, workspace: string | null, onSuccess?: () => void) {
  const [call, setCall] = useState<Call | null>(null);
  const [isSilent, setSilent] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done afterwards does not change what is waited for
  useEffect(() => {
    const timer = setTimeout(() => setSilent(true), SILENCE_MS);
    const stop = listen(
      FirstCallDocument,
      { key: keyId },
      {
        workspace,
        onEvent({ logsAdded: { data } }) {
          const shown = data.find(({ isSuccess }) => isSuccess) ?? data[0];
          if (!shown) return;
          setCall((before) => (before?.isSuccess ? before : shown));
          if (shown.isSuccess) onSuccess?.();
        },
        onError: () => setSilent(true),
      },
    );
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [keyId, workspace]);
  return { call, isSilent };
}

function Arrival({ call }: { call: Call | null }) {
  const [zone] = useZone();
  if (!call)
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <span className="size-2 animate-pulse rounded-full bg-accent" /> Waiting for your first request …
      </p>
    );
  const facts = [
    clock(call.createdAt, zone),
    call.aiModel,
    String(call.responseStatusCode),
    duration(call.responseTime),
    call.cost === null ? 'cost unknown' : money(call.cost),
  ].filter(Boolean);
  return (
    <div role="status" className={call.isSuccess ? 'text-ok' : 'text-warn'}>
      <p className="flex items-center gap-2 font-[560]">
        <Icon name={call.isSuccess ? 'ok' : 'warn'} /> {facts.join(' · ')}
      </p>
      {!call.isSuccess && (
        <p className="text-muted">{call.error ?? `The call was answered ${call.responseStatusCode}.`}</p>
      )}
    </div>
  );
}
