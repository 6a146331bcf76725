import { Suspense, useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { JsonEditor } from '../../../ui/editor/index.ts';
import { Banner, Button, SkeletonRows, say } from '../../../ui/index.ts';
import {
  ConfigSchemaDocument,
  SaveConfigDocument,
  SimulateConfigDocument,
  ValidateConfigDocument,
} from '../documents.ts';
import type { Stored } from './config-detail.tsx';
import { SaveConfig } from './save-config.tsx';
import { configIn, textOf } from './tree.ts';
import { Validity } from './validity.tsx';
import { Versions } from './versions.tsx';
import { WhereCallsGo } from './where-calls-go.tsx';

type ConfigEditorProps = { stored: Stored; onReload(): Promise<Stored | null> };

/** Text and picture of one config; problems stand at the same path in both. */
export function ConfigEditor({ stored, onReload }: ConfigEditorProps) {
  // What the text was made from: a change of others does not change what is being written.
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(() => textOf(stored.config));
  /** Counts the texts that have come from elsewhere: the editor begins anew with each. */
  const [begun, setBegun] = useState(0);
  const [tried, setTried] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [isWriting, setWriting] = useState(false);
  const { refusal } = useMay('configs.update');
  const config = configIn(text);
  const isChanged = text !== textOf(base.config);
  const checked = useDocument(
    ValidateConfigDocument,
    { input: { config, configId: stored.id } },
    { isEnabled: config !== undefined },
  );
  const simulated = useDocument(
    SimulateConfigDocument,
    { input: { config: configIn(tried ?? ''), workspaceId: stored.workspaceId } },
    { isEnabled: tried !== null },
  );
  // What can be written is asked for by whoever is about to write.
  const schema = useDocument(ConfigSchemaDocument, {}, { isEnabled: isWriting, freshFor: 3_600_000 });
  const validation = config === undefined ? null : checked.data?.validateConfig;
  const problems = validation?.problems ?? [];
  const isTried = tried === text;
  const save = useOperation(SaveConfigDocument, {
    changes: ['Configs'],
    async onDone() {
      const next = await onReload();
      if (next) take(next);
      setSaving(false);
      say(`${stored.name} is saved`, { detail: 'Calls follow at once.' });
    },
  });
  const write = (next: unknown) => {
    setText(textOf(next));
    setBegun((count) => count + 1);
  };
  const take = (next: Stored) => {
    setBase(next);
    write(next.config);
    save.reset();
  };
  return (
    <div className="flex flex-col gap-3 px-4 pb-8 sm:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <Validity config={config} problems={validation ? problems.length : null} />
        <Button refusal={config === undefined ? 'This is no JSON.' : null} onClick={() => setTried(text)}>
          Simulate
        </Button>
        <Button
          look="primary"
          refusal={
            refusal ??
            (isChanged ? (config === undefined ? 'This is no JSON.' : null) : 'Nothing has changed.')
          }
          onClick={() => setSaving(true)}
        >
          Save…
        </Button>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="h-[28rem] overflow-hidden rounded-panel border border-line">
          <Suspense fallback={<SkeletonRows rows={8} />}>
            <JsonEditor
              key={begun}
              initial={text}
              onChange={setText}
              label="Config as JSON"
              isReadOnly={refusal !== null}
              schema={schema.data?.configSchema}
              onFocus={() => setWriting(true)}
            />
          </Suspense>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <WhereCallsGo
            config={config}
            problems={problems}
            circuits={stored.circuits}
            simulated={isTried ? (simulated.data?.simulateConfig?.targets ?? []) : []}
            onChange={refusal === null && config !== undefined ? write : null}
          />
          {problems.map(({ path, message }) => (
            <Banner key={path + message} tone="bad">
              <span className="mono">{path}</span>: {message}
            </Banner>
          ))}
          {isTried && simulated.error && <Banner tone="bad">{simulated.error.message}</Banner>}
          <Versions
            stored={stored}
            onRestored={async () => void (await onReload().then((next) => next && take(next)))}
          />
        </div>
      </div>
      {isSaving && (
        <SaveConfig
          base={base}
          text={text}
          save={save}
          onClose={() => {
            setSaving(false);
            save.reset();
          }}
          onReload={onReload}
          onTakeTheirs={(theirs) => {
            take(theirs);
            setSaving(false);
          }}
          onRebase={(theirs) => {
            setBase(theirs);
            save.reset();
          }}
        />
      )}
    </div>
  );
}
