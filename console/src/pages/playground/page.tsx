import { useCallback, useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { mayAny, useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { WorkspaceFirst } from '../../shell/states/workspace-first.tsx';
import { Button, Page } from '../../ui/index.ts';
import { PlaygroundChoicesDocument } from './documents.ts';
import { Column, type Order } from './parts/column.tsx';
import { Difference } from './parts/difference.tsx';
import {
  blankTarget,
  bodyFor,
  type Draft,
  keepDraft,
  keptDraft,
  MOST_TARGETS,
  missingIn,
  type Target,
} from './parts/draft.ts';
import { Prompt } from './parts/prompt.tsx';
import { useAnswers } from './parts/use-answers.ts';
import { useReplayed } from './parts/use-replayed.ts';

/** What does this model or config answer, and what would it cost? */
export default function Playground() {
  const workspace = useWorkspace();
  const { kind } = useViewer();
  if (workspace !== null || kind.startsWith('workspace')) return <Bench />;
  return (
    <WorkspaceFirst
      title="Playground"
      path="playground"
      icon="play"
      answer="Calls are made in a workspace, under its limits and guardrails."
      question="In which workspace?"
    >
      The organisation as a whole makes no calls: models, configs and budgets belong to workspaces.
    </WorkspaceFirst>
  );
}

function Bench() {
  const workspace = useWorkspace();
  const [draft, setDraft] = useState(keptDraft);
  const [order, setOrder] = useState<Order | null>(null);
  const [stops, setStops] = useState(0);
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const [answers, onAnswer] = useAnswers();
  const { refusal } = useMay('completions.write');
  const mayConfigs = mayAny(useViewer(), ['configs.list']);
  const choices = useDocument(PlaygroundChoicesDocument, { workspace, mayConfigs }, { freshFor: 60_000 });
  const path = useReplayed((request) => setDraft((before) => ({ ...before, request })));

  const set = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    keepDraft(next);
  };
  const setTarget = (target: Target) =>
    set({ targets: draft.targets.map((one) => (one.key === target.key ? target : one)) });
  const onRunning = useCallback(
    (key: number, isRunning: boolean) =>
      setRunning((before) => {
        const after = new Set(before);
        if (isRunning) after.add(key);
        else after.delete(key);
        return after;
      }),
    [],
  );
  const answered = draft.targets.flatMap(({ key }, index) => {
    const text = answers.get(key);
    return text === undefined ? [] : [{ name: nameOf(index), text }];
  });
  const missing = missingIn(draft);
  const isRunning = running.size > 0;
  const call = () => setOrder((before) => orderOf(draft, path, (before?.count ?? 0) + 1));

  return (
    <Page
      title="Playground"
      answer="Calls go through the gateway as you: its limits, guardrails, prices and logs are the real ones."
      actions={
        <Button
          icon="plus"
          refusal={draft.targets.length >= MOST_TARGETS ? `There are ${MOST_TARGETS} at most.` : null}
          onClick={() => set({ targets: [...draft.targets, blankTarget(draft.targets[0]?.model ?? '')] })}
        >
          Compare with another
        </Button>
      }
    >
      <Asked query={choices} what="The playground">
        {(found) => (
          <div className="grid gap-4 px-4 pb-8 sm:px-6 xl:grid-cols-[400px_1fr]">
            <Prompt
              draft={draft}
              onChange={set}
              actions={
                isRunning ? (
                  <Button onClick={() => setStops(stops + 1)}>Stop</Button>
                ) : (
                  <Button look="primary" icon="play" refusal={refusal ?? missing} onClick={call}>
                    Run
                  </Button>
                )
              }
              onRun={() => refusal === null && missing === null && call()}
            />
            <div className="grid min-w-0 gap-4 self-start md:grid-cols-2">
              {draft.targets.map((target, index) => (
                <Column
                  key={target.key}
                  name={nameOf(index)}
                  target={target}
                  choices={found}
                  order={order}
                  stops={stops}
                  hasOwnModel={draft.request !== ''}
                  onChange={setTarget}
                  missing={missing}
                  callOf={(own) => ({ path, body: bodyFor(draft, own), config: own.config })}
                  onRunning={onRunning}
                  onAnswer={onAnswer}
                  onRemove={
                    draft.targets.length === 1
                      ? null
                      : () => set({ targets: draft.targets.filter((one) => one !== target) })
                  }
                />
              ))}
              <Difference answers={answered} />
            </div>
            <datalist id="playground-models">
              {found.availableModels?.data.map(({ id }) => (
                <option key={id} value={id} />
              ))}
            </datalist>
          </div>
        )}
      </Asked>
    </Page>
  );
}

/** `A`, `B` and so on. */
const nameOf = (index: number): string => String.fromCharCode(65 + index);

const orderOf = (draft: Draft, path: string, count: number): Order => ({
  count,
  path,
  bodyOf: (target) => bodyFor(draft, target),
});
