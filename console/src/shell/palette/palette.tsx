import { Dialog as Parts } from '@base-ui/react/dialog';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { classes, Icon } from '../../ui/index.ts';
import { useEntries } from './use-entries.ts';

type PaletteProps = { isOpen: boolean; onClose(): void };

/** One field from which everything is reached: pages, actions, resources by name, and whatever is pasted. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  return (
    <Parts.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Parts.Portal>
        <Parts.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Parts.Popup
          aria-label="Search and commands"
          className="fixed inset-x-4 top-[10vh] z-40 mx-auto max-w-[600px] overflow-hidden rounded-panel border border-line bg-surface shadow-float outline-none"
        >
          <Content onClose={onClose} />
        </Parts.Popup>
      </Parts.Portal>
    </Parts.Root>
  );
}

function Content({ onClose }: { onClose(): void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(useDeferredValue(text.trim()));
  const current = Math.min(chosen, Math.max(entries.length - 1, 0));

  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);

  function choose(index: number) {
    const entry = entries[index];
    if (!entry) return;
    onClose();
    entry.choose();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((current + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === 'Enter') choose(current);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className="flex h-12 items-center gap-3 border-b border-line px-4">
        <span className="text-faint">
          <Icon name="search" />
        </span>
        <input
          // biome-ignore lint/a11y/noAutofocus: a palette is opened to type
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
          aria-label="Search pages, actions and resources, or paste an id"
          placeholder="Search, or paste an id, a trace or a leaked key"
          value={text}
          maxLength={512}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => {
            setText(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-lead outline-none placeholder:text-faint"
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-1">
        {entries.map(({ id: key, label, icon, note }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, as a combobox does
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onPointerMove={() => setChosen(index)}
            onClick={() => choose(index)}
            className={classes(
              'flex h-9 cursor-pointer items-center gap-3 rounded-control px-3',
              index === current && 'bg-tint',
            )}
          >
            <span className="text-faint">
              <Icon name={icon} size={15} />
            </span>
            <span className="min-w-0 flex-1 truncate">{label}</span>
            <span className="text-meta text-faint">{note}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-4 pb-4 text-muted">Nothing has that name.</p>}
    </>
  );
}
