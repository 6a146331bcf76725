import { Link } from '@tanstack/react-router';
import { money } from '../../../format/money.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { Meter, Section } from '../../../ui/index.ts';

type Group = { value: string | null; cost: number; requests: number };

type TopProps = {
  title: string;
  /** Field of the filter of the logs. */
  field: string;
  groups: readonly Group[];
  /** Names by value, where the value is an id. */
  names?: ReadonlyMap<string, string>;
};

/** Who spends most; each line leads to its logs. */
export function Top({ title, field, groups, names }: TopProps) {
  const slug = useWorkspaceSlug();
  const most = Math.max(...groups.map(({ cost }) => cost), 0);
  return (
    <Section title={title}>
      <ul className="py-1">
        {groups.map(({ value, cost }) => (
          <li key={value}>
            <Link
              to={`/${slug}/logs` as never}
              search={{ q: `${field}:${value}` } as never}
              className="flex min-h-8 items-center gap-3 px-4 outline-offset-[-2px] transition-colors hover:bg-hover"
            >
              <span className="mono min-w-0 flex-1 truncate">{shown(value, names)}</span>
              <Meter
                share={most === 0 ? 0 : cost / most}
                label={`Share of the largest, ${shown(value, names)}`}
              />
              <span className="w-20 text-right">{money(cost)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The model alone: `openai__gpt-4o` is `gpt-4o`. */
const shown = (value: string | null, names?: ReadonlyMap<string, string>): string =>
  value === null ? 'none' : (names?.get(value) ?? value.split('__').at(-1) ?? value);
