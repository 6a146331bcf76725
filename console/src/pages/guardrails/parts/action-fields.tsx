import { Check, SelectField } from '../../../ui/index.ts';
import type { GuardrailActionsInput, GuardrailScope, GuardrailStream } from '../documents.ts';

type ActionFieldsProps = { actions: GuardrailActionsInput; onChange(actions: GuardrailActionsInput): void };

const flags = [
  { name: 'deny', label: 'Refuse a call that fails, with 446' },
  { name: 'async', label: 'Let calls go on without its verdict, which is only logged' },
  { name: 'sequential', label: 'Run its checks one after another, each on what those before it left' },
  { name: 'softDeny_200', label: 'Send a refusal as a normal answer, with status 200' },
] as const;

const scopes = [
  { value: '', label: 'what fits its checks' },
  { value: 'last', label: 'the last message' },
  { value: 'new', label: 'what is new since the last answer' },
  { value: 'all', label: 'all messages' },
] as const;
const streams = [
  { value: '', label: 'what fits its checks' },
  { value: 'window', label: 'piece by piece' },
  { value: 'hold', label: 'as a whole, before any of it is sent' },
  { value: 'report', label: 'when all of it was sent' },
] as const;

/** What a guardrail does beyond judging. */
export function ActionFields({ actions, onChange }: ActionFieldsProps) {
  const set = (changes: Partial<GuardrailActionsInput>) => onChange({ ...actions, ...changes });
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="pb-1 text-meta font-[560]">When a check fails</legend>
        {flags.map(({ name, label }) => (
          <Check
            key={name}
            label={label}
            checked={actions[name] ?? false}
            onChange={({ target }) => set({ [name]: target.checked })}
          />
        ))}
      </fieldset>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField<GuardrailScope | ''>
          label="Looks at, of a request"
          choices={scopes}
          value={actions.scope ?? ''}
          onChange={(scope) => set({ scope: scope || null })}
        />
        <SelectField<GuardrailStream | ''>
          label="Looks at a streamed answer"
          choices={streams}
          value={actions.stream ?? ''}
          onChange={(stream) => set({ stream: stream || null })}
        />
      </div>
    </div>
  );
}
