import { CopyButton } from '../copy.tsx';
import type { Bar } from './bars.tsx';
import { csvOf, namesIn } from './csv.ts';

type BarTableProps = {
  id: string;
  bars: readonly Bar[];
  title: string;
  format(value: number): string;
};

/** The figures of a chart, for those who do not see it or want the numbers. */
export function BarTable({ id, bars, title, format }: BarTableProps) {
  const names = namesIn(bars);
  return (
    <div id={id} className="mt-2 flex flex-col items-start gap-2">
      <div
        role="region"
        aria-label={title}
        tabIndex={0}
        className="max-h-64 w-full overflow-auto rounded-control border border-line bg-surface outline-offset-[-2px]"
      >
        <table className="w-full border-collapse text-body">
          <thead>
            <tr>
              {['Time', ...names].map((name, index) => (
                <th key={name} scope="col" className={index === 0 ? head : `${head} text-right`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ at, label, parts }) => (
              <tr key={at} className="h-7 border-b border-line last:border-0">
                <th scope="row" className="px-3 text-left font-[400] whitespace-nowrap text-muted">
                  {label}
                </th>
                {names.map((name) => (
                  <td key={name} className="px-3 text-right whitespace-nowrap">
                    {format(parts.find((part) => part.name === name)?.value ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CopyButton label="Copy as CSV" text={csvOf(bars, format)} />
    </div>
  );
}

const head =
  'sticky top-0 h-8 border-b border-line bg-bg px-3 text-left text-meta font-[480] whitespace-nowrap text-faint';
