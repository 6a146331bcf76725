import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { dateAndTime, type Zone } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Button, type Column, Confirm, Meter, Notice, Status, say, Table } from '../../../ui/index.ts';
import { ResetCounterDocument } from '../documents.ts';
import { amount, type Counter, type KeyNames, valueIn } from './policy.ts';

/** What each value has used, and what is left of it. */
export function Counters({ counters, names }: { counters: readonly Counter[]; names: KeyNames }) {
  const [asked, setAsked] = useState<Counter | null>(null);
  const [zone] = useZone();
  if (counters.length === 0)
    return (
      <Notice icon="limits" title="Nothing was counted yet">
        The first call that it lets through makes a row here.
      </Notice>
    );
  const columns: Column<Counter>[] = [
    { key: 'value', head: 'Whose', cell: (counter) => valueIn(counter, names) },
    { key: 'bar', head: 'Used', cell: (counter) => <Used of={counter} /> },
    {
      key: 'used',
      head: 'So far',
      align: 'end',
      cell: ({ used, limit, unit }) => `${amount(used, unit)} of ${amount(limit, unit)}`,
    },
    { key: 'left', head: 'Left', align: 'end', cell: ({ remaining, unit }) => amount(remaining, unit) },
    {
      key: 'until',
      head: 'Begins anew',
      align: 'end',
      cell: ({ until }) => (until === null ? 'never' : dateAndTime(until, zone)),
    },
    { key: 'leads', head: 'At this pace', align: 'end', cell: (counter) => leadsTo(counter, zone) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (counter) => <SetBack counter={counter} onAsk={setAsked} />,
    },
  ];
  return (
    <>
      <Table
        label="Counters"
        columns={columns}
        rows={counters}
        keyOf={({ id }) => id}
        narrow={(counter) => ({
          lead: valueIn(counter, names),
          side: <SetBack counter={counter} onAsk={setAsked} />,
          meta: `${amount(counter.used, counter.unit)} of ${amount(counter.limit, counter.unit)}`,
        })}
      />
      {asked && <Reset counter={asked} name={valueIn(asked, names)} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Where the use of the last day leads. */
function leadsTo({ forecast, status, unit }: Counter, zone: Zone): string {
  if (!forecast || status === 'exhausted') return '';
  if (forecast.exhaustsAt !== null) return `used up ${dateAndTime(forecast.exhaustsAt, zone)}`;
  return forecast.usedAtReset === null ? 'lasts for years' : `${amount(forecast.usedAtReset, unit)} by then`;
}

function Used({ of: { used, limit, status } }: { of: Counter }) {
  const share = limit === 0 ? 1 : used / limit;
  const isOver = status === 'exhausted';
  return (
    <span className="flex items-center gap-3">
      <Meter share={share} label="Used" tone={isOver ? 'bad' : share >= 0.8 ? 'warn' : 'accent'} />
      {isOver && <Status tone="bad">used up</Status>}
    </span>
  );
}

function SetBack({ counter, onAsk }: { counter: Counter; onAsk(counter: Counter): void }) {
  const { refusal } = useMay('policies.update');
  return (
    <Button look="quiet" icon="rotate" refusal={refusal} onClick={() => onAsk(counter)}>
      Set back
    </Button>
  );
}

function Reset({ counter, name, onClose }: { counter: Counter; name: string; onClose(): void }) {
  const reset = useOperation(ResetCounterDocument, {
    changes: ['LimitShown'],
    onDone() {
      say(`${name} begins at 0`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Set ${name} back to 0?`}
      consequence={`${amount(counter.used, counter.unit)} were used. Calls go on at once, and the trail of changes keeps who did it.`}
      verb="Set back"
      act={reset}
      onConfirm={() => reset.mutate({ id: counter.id })}
      onClose={onClose}
    />
  );
}
