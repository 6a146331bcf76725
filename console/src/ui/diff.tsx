import { classes } from './classes.ts';
import { compareLines, type Line } from './lines.ts';

type DiffProps = { before: string; after: string; labels: { before: string; after: string } };

const looks: Record<Line['kind'], { mark: string; says: string; className: string }> = {
  same: { mark: ' ', says: '', className: 'text-muted' },
  gone: { mark: '−', says: 'only before: ', className: 'bg-bad/10' },
  new: { mark: '+', says: 'only after: ', className: 'bg-ok/10' },
};

/** What differs between two texts, line by line. */
export function Diff({ before, after, labels }: DiffProps) {
  const lines = compareLines(before, after);
  return (
    <figure className="m-0">
      <figcaption className="flex gap-4 pb-1 text-meta text-muted">
        <span>− {labels.before}</span>
        <span>+ {labels.after}</span>
      </figcaption>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`${labels.before} and ${labels.after}`}
        className="mono max-h-96 overflow-auto rounded-control border border-line bg-sunken py-2 whitespace-pre outline-offset-[-2px]"
      >
        {lines.map(({ kind, text }, index) => {
          const { mark, says, className } = looks[kind];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name
            <div key={index} className={classes('px-3', className)}>
              <span aria-hidden className="inline-block w-4 select-none">
                {mark}
              </span>
              {says && <span className="sr-only">{says}</span>}
              {text}
            </div>
          );
        })}
      </pre>
    </figure>
  );
}
