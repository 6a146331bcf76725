import { money, perMillion } from '../../../format/money.ts';
import { count, NONE } from '../../../format/number.ts';
import { Banner, type Column, Table } from '../../../ui/index.ts';
import type { ShownLog } from './head.tsx';

type Line = NonNullable<ShownLog['costLines']>[number];

const sayings: Record<string, string> = {
  request_token: 'Tokens of the request',
  response_token: 'Tokens of the answer',
  cache_read_input_token: 'Tokens read from the cache of the provider',
  cache_write_input_token: 'Tokens written to the cache of the provider',
  request: 'Request, by an expression',
  response: 'Answer, by an expression',
};

const nameOf = ({ class: name }: Line): string => sayings[name] ?? name.replaceAll('_', ' ');

/** A price for a token is shown for a million of them. */
const priceOf = ({ class: name, price }: Line): string =>
  price === null ? NONE : name.endsWith('token') ? perMillion(price) : money(price);

const columns: Column<Line>[] = [
  { key: 'what', head: 'What', cell: nameOf },
  { key: 'units', head: 'Units', align: 'end', cell: ({ units }) => count(units) },
  { key: 'price', head: 'Price', align: 'end', cell: priceOf },
  { key: 'amount', head: 'Amount', align: 'end', cell: ({ amount }) => money(amount) },
  {
    key: 'source',
    head: 'Price from',
    cell: ({ source }) => <span className="text-muted">{source}</span>,
  },
];

/** What the cost adds up from. */
export function Cost({ log }: { log: ShownLog }) {
  const { cost, costLines, savings } = log;
  if (cost === null)
    return (
      <div className="px-4 py-4 sm:px-6">
        <Banner tone="warn">
          The cost is unknown: the price of {log.aiModel ?? 'the model'}, or what was used of it, is not
          known. Set a price at the provider.
        </Banner>
      </div>
    );
  return (
    <div className="py-2">
      {costLines && costLines.length > 0 && (
        <Table
          label="Lines of the cost"
          columns={columns}
          rows={costLines}
          keyOf={({ class: name, source }) => `${name} ${source}`}
          narrow={(line) => ({
            lead: nameOf(line),
            side: money(line.amount),
            meta: `${count(line.units)} × ${priceOf(line)} · ${line.source}`,
          })}
        />
      )}
      <p className="px-4 py-3 sm:px-6">
        <strong className="font-[560]">{money(cost)}</strong> in all
        {costLines === null && ' (its parts were not noted)'}
        {savings !== null && `; from the cache, which saved ${money(savings)}`}
      </p>
    </div>
  );
}
