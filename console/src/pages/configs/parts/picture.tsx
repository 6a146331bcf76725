import { percent } from '../../../format/number.ts';
import { hourAndMinute } from '../../../format/time.ts';
import { useZone } from '../../../shell/stored.ts';
import { Icon, Status } from '../../../ui/index.ts';
import type { SimulateConfigQuery } from '../documents.ts';
import type { Node } from './tree.ts';

type Simulated = NonNullable<SimulateConfigQuery['simulateConfig']>['targets'][number];

type PictureProps = {
  node: Node;
  /** Problems by path. */
  problems: ReadonlyMap<string, string>;
  /** Targets whose circuit is open, with the time until which it is. */
  open: ReadonlyMap<string, string | null>;
  /** Where a call would go, by path; empty before one was tried. */
  simulated: ReadonlyMap<string, Simulated>;
  /** Opens the form of a node; null where nothing can be changed. */
  onOpen: ((path: string) => void) | null;
};

/** Where a call may go: groups to the left, what they choose from to the right of them. */
export function Picture(props: PictureProps) {
  const { node, problems, simulated, onOpen } = props;
  const problem = problems.get(node.path);
  if (node.mode === null) return <Target {...props} />;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div className="relative rounded-control border border-strong bg-surface px-3 py-1.5">
        <Opener path={node.path} onOpen={onOpen} />
        <p className="font-[560]">{node.mode}</p>
        {node.notes.length > 0 && <p className="text-meta text-muted">{node.notes.join(' · ')}</p>}
        {problem && <Status tone="bad">{problem}</Status>}
      </div>
      <Icon name="right" size={14} />
      <ol className="flex flex-col gap-2 border-l border-line pl-3" aria-label={`Targets of ${node.path}`}>
        {node.children.map((child) => (
          <li key={child.path}>
            <Picture {...props} node={child} simulated={simulated} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Lies over a node, so that all of it is the button. */
const Opener = ({ path, onOpen }: Pick<PictureProps, 'onOpen'> & { path: string }) =>
  onOpen && (
    <button
      type="button"
      aria-label={`Edit ${path}`}
      onClick={() => onOpen(path)}
      className="absolute inset-0 rounded-control transition-colors hover:bg-accent/5"
    />
  );

function Target({ node, problems, open, simulated, onOpen }: PictureProps) {
  const [zone] = useZone();
  const problem = problems.get(node.path);
  const tried = simulated.get(node.path);
  const until = open.get(node.path);
  const isTaken = tried?.turn === 1;
  return (
    <div
      className={`relative min-w-48 rounded-control border px-3 py-1.5 ${isTaken ? 'border-accent bg-tint' : 'border-line bg-surface'}`}
    >
      <Opener path={node.path} onOpen={onOpen} />
      <p className="flex items-center gap-2">
        {tried && <span className="text-meta text-faint">{tried.turn ?? 'never'}</span>}
        <span className="mono">{tried?.provider ?? node.label}</span>
        <span className="mono text-muted">{tried?.model ?? node.notes[0] ?? ''}</span>
      </p>
      {node.notes.length > 1 && <p className="text-meta text-muted">{node.notes.slice(1).join(' · ')}</p>}
      {tried && tried.share > 0 && tried.share < 1 && (
        <p className="text-meta text-muted">{percent(tried.share)} of such calls</p>
      )}
      {open.has(node.path) && (
        <Status tone="warn">circuit open{until ? ` until ${hourAndMinute(until, zone)}` : ''}</Status>
      )}
      {problem && <Status tone="bad">{problem}</Status>}
      {tried && tried.reasons.length > 0 && (
        <ul className="pt-1 text-meta text-muted">
          {tried.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
