import { SelectField, TextField } from '../../../ui/index.ts';
import type { LimitDraft } from './draft.ts';

const counted = [
  { value: 'cost', label: 'US dollars' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'requests', label: 'Requests' },
] as const;
const periods = [
  { value: 'monthly', label: 'a month' },
  { value: 'weekly', label: 'a week' },
  { value: 'days', label: 'each number of days' },
  { value: 'never', label: 'in all' },
] as const;
const units = [
  { value: 'rpm', label: 'a minute' },
  { value: 'rph', label: 'an hour' },
  { value: 'rpd', label: 'a day' },
  { value: 'rpw', label: 'a week' },
] as const;

type AllowanceFieldsProps = {
  draft: LimitDraft;
  onChange(changes: Partial<LimitDraft>): void;
  /** What is wrong with a field; null where nothing is. */
  at(name: 'value' | 'creditLimit' | 'unit' | 'periodicReset' | 'periodicResetDays'): string | null;
  isNew: boolean;
};

/** How much of what, and within which time. */
export function AllowanceFields({ draft, onChange, at, isNew }: AllowanceFieldsProps) {
  const isRate = draft.kind === 'rate';
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Amount"
          inputMode="decimal"
          value={draft.amount}
          onChange={({ target }) => onChange({ amount: target.value })}
          error={at(isRate ? 'value' : 'creditLimit')}
          required
        />
        <SelectField
          label="Of"
          choices={counted.filter(
            ({ value }) => (isNew || value === draft.counts) && !(isRate && value === 'cost'),
          )}
          value={draft.counts}
          onChange={(counts) => onChange({ counts })}
        />
        {isRate ? (
          <SelectField
            label="Within"
            choices={units}
            value={draft.unit}
            onChange={(unit) => onChange({ unit })}
            error={at('unit')}
          />
        ) : (
          <SelectField
            label="Within"
            choices={periods}
            value={draft.period}
            onChange={(period) => onChange({ period })}
            error={at('periodicReset')}
          />
        )}
      </div>
      {!isRate && draft.period === 'days' && (
        <TextField
          label="Days"
          inputMode="numeric"
          value={draft.days}
          onChange={({ target }) => onChange({ days: target.value })}
          error={at('periodicResetDays')}
        />
      )}
    </>
  );
}
