import { Dialog, Kbd } from '../../ui/index.ts';
import { pages } from '../pages.ts';

const everywhere: readonly [string[], string][] = [
  [['⌘', 'K'], 'Search and commands'],
  [['/'], 'Filter'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close'],
  [['['], 'Previous attempt of a trace'],
  [[']'], 'Next attempt of a trace'],
  [['.'], 'Live on and off'],
  [['y'], 'Copy the link to this screen'],
  [['t'], 'Theme'],
  [['?'], 'This help'],
];

export function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const ways = pages.flatMap(({ key, label }): [string[], string][] => (key ? [[['g', key], label]] : []));
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Keyboard"
      description="Single keys can be switched off in the menu of your account."
    >
      <dl className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        {[...everywhere, ...ways].map(([keys, what]) => (
          <div key={what} className="flex h-8 items-center justify-between border-b border-line">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
