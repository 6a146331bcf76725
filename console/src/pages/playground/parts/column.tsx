import { useEffect, useRef } from 'react';
import { Code, Field, IconButton, inputClasses, Section, SelectField } from '../../../ui/index.ts';
import type { PlaygroundChoicesQuery } from '../documents.ts';
import { CopyAs } from './copy-as.tsx';
import type { Target } from './draft.ts';
import { Outcome } from './outcome.tsx';
import { continued } from './tool-calls.ts';
import { ToolOutputs } from './tool-outputs.tsx';
import { useRun } from './use-run.ts';

/** A call that all columns make; `count` tells one from the next. */
export type Order = { count: number; path: string; bodyOf(target: Target): unknown };

type ColumnProps = {
  name: string;
  target: Target;
  choices: PlaygroundChoicesQuery | undefined;
  order: Order | null;
  /** Counts the stops. */
  stops: number;
  /** Whether the request itself names its model. */
  hasOwnModel: boolean;
  onChange(target: Target): void;
  onRunning(key: number, isRunning: boolean): void;
  /** Tells a whole answer; null while there is none. */
  onAnswer(key: number, text: string | null): void;
  /** Why there is no call yet. */
  missing: string | null;
  /** The call as it would be made now. */
  callOf(target: Target): { path: string; body: unknown; config: string };
  onRemove: (() => void) | null;
};

/** A model or a config, and what it answers. */
export function Column(props: ColumnProps) {
  const { name, target, choices, order, stops, hasOwnModel, missing, callOf } = props;
  const { onChange, onRunning, onAnswer, onRemove } = props;
  const [run, start, stop] = useRun();
  const asked = useRef({ body: undefined as unknown, config: '', path: '' });
  const call = (next: typeof asked.current) => {
    asked.current = next;
    start(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an order is carried out once, whatever changes meanwhile
  useEffect(() => {
    if (order) call({ body: order.bodyOf(target), config: target.config, path: order.path });
  }, [order]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a stop counts from when it is pressed
  useEffect(() => stop(), [stops]);
  useEffect(() => onRunning(target.key, run.isRunning), [target.key, run.isRunning, onRunning]);
  const answer = run.ended && run.text !== '' ? run.text : null;
  useEffect(() => onAnswer(target.key, answer), [target.key, answer, onAnswer]);
  const configs = (choices?.configs?.data ?? []).map((config) => ({
    value: config.slug,
    label: config.name,
  }));
  return (
    <Section
      title={name}
      actions={
        <>
          <CopyAs name={name} missing={missing} call={() => callOf(target)} />
          {onRemove && <IconButton icon="cross" label={`Remove ${name}`} onClick={onRemove} />}
        </>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        {!hasOwnModel && (
          <Field label={`Model of ${name}`}>
            {(ids) => (
              <input
                {...ids}
                list="playground-models"
                value={target.model}
                maxLength={255}
                onChange={(event) => onChange({ ...target, model: event.target.value })}
                className={inputClasses('mono')}
              />
            )}
          </Field>
        )}
        <SelectField
          label={`Config of ${name}`}
          choices={[{ value: '', label: 'none' }, ...configs]}
          value={target.config}
          onChange={(config) => onChange({ ...target, config })}
        />
        {run.text !== '' && (
          <Code label={`answer of ${name}`} text={run.text} className="[&_pre]:whitespace-pre-wrap" />
        )}
        <div aria-live="polite">
          <Outcome run={run} />
        </div>
        {run.ended && run.tools.length > 0 && (
          <ToolOutputs
            key={run.ended.trace}
            calls={run.tools}
            onGo={(outputs) =>
              call({
                ...asked.current,
                body: continued(asked.current.body, { text: run.text, calls: run.tools }, outputs),
              })
            }
          />
        )}
      </div>
    </Section>
  );
}
