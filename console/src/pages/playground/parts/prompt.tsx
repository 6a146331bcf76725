import type { KeyboardEvent, ReactNode } from 'react';
import { Button, Section, TextArea, TextField } from '../../../ui/index.ts';
import { type Draft, starters } from './draft.ts';
import { PromptExtras } from './prompt-extras.tsx';

type PromptProps = { draft: Draft; onChange(part: Partial<Draft>): void; actions: ReactNode; onRun(): void };

/** What is asked: a prompt with its parameters, or a whole request as JSON. */
export function Prompt({ draft, onChange, actions, onRun }: PromptProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onRun();
  };
  return (
    <Section
      title={draft.request === '' ? 'Prompt' : 'Request of a log'}
      actions={
        draft.request !== '' && <Button onClick={() => onChange({ request: '' })}>Write a prompt</Button>
      }
      className="self-start"
    >
      <div className="flex flex-col gap-3 p-4">
        {draft.request === '' ? (
          <PromptFields draft={draft} onChange={onChange} onKeyDown={onKeyDown} />
        ) : (
          <TextArea
            label="JSON"
            rows={18}
            isMono
            value={draft.request}
            onKeyDown={onKeyDown}
            onChange={({ target }) => onChange({ request: target.value || ' ' })}
            hint="It is sent as it stands here."
          />
        )}
        <div className="flex items-center gap-2">
          {actions}
          <span className="text-meta text-faint">Ctrl or ⌘ Enter</span>
        </div>
      </div>
    </Section>
  );
}

type PromptFieldsProps = Pick<PromptProps, 'draft' | 'onChange'> & { onKeyDown(event: KeyboardEvent): void };

function PromptFields({ draft, onChange, onKeyDown }: PromptFieldsProps) {
  return (
    <>
      <TextArea
        label="System"
        rows={2}
        value={draft.system}
        onChange={({ target }) => onChange({ system: target.value })}
      />
      <TextArea
        label="Prompt"
        rows={6}
        value={draft.prompt}
        onKeyDown={onKeyDown}
        onChange={({ target }) => onChange({ prompt: target.value })}
      />
      {draft.prompt === '' && (
        <div className="flex flex-col items-start gap-1">
          {starters.map((starter) => (
            <button
              key={starter}
              type="button"
              onClick={() => onChange({ prompt: starter })}
              className="min-h-6 rounded-control px-1 text-left text-muted underline hover:text-text"
            >
              {starter}
            </button>
          ))}
        </div>
      )}
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Temperature"
          inputMode="decimal"
          placeholder="as usual"
          value={draft.temperature}
          onChange={({ target }) => onChange({ temperature: target.value })}
        />
        <TextField
          label="Tokens at most"
          inputMode="numeric"
          placeholder="as usual"
          value={draft.maxTokens}
          onChange={({ target }) => onChange({ maxTokens: target.value })}
        />
      </div>
      <PromptExtras draft={draft} onChange={onChange} />
    </>
  );
}
