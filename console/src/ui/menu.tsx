import { Menu as Parts } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';

/** Of everything that floats above the page. */
export const floating =
  'min-w-[var(--anchor-width)] overflow-y-auto rounded-panel border border-line bg-surface p-1 text-body shadow-float ' +
  'outline-none origin-[var(--transform-origin)] transition-[opacity,scale] data-[starting-style]:scale-[0.98] ' +
  'data-[starting-style]:opacity-0 data-[ending-style]:opacity-0';

/** Of one line in it. */
export const item =
  'flex min-h-7 max-sm:min-h-11 w-full items-center gap-2 rounded-[5px] px-2 text-left outline-none select-none ' +
  'data-[highlighted]:bg-tint data-[disabled]:text-faint';

export type MenuEntry = {
  label: string;
  icon?: IconName;
  /** What stands at its end, such as a key. */
  note?: string;
  isDanger?: boolean;
  /** Why it cannot be chosen. */
  refusal?: string | null;
  onChoose(): void;
};

type MenuProps = {
  /** What opens it: a button. */
  trigger: ReactElement<Record<string, unknown>>;
  entries: readonly (MenuEntry | 'line')[];
  align?: 'start' | 'end';
};

/** Actions behind a button. */
export function Menu({ trigger, entries, align = 'end' }: MenuProps) {
  return (
    <Parts.Root modal={false}>
      <Parts.Trigger render={trigger} />
      <Parts.Portal>
        <Parts.Positioner sideOffset={4} align={align} className="z-50 outline-none">
          <Parts.Popup className={classes(floating, 'min-w-44')}>
            {entries.map((entry, index) =>
              entry === 'line' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name
                <Parts.Separator key={index} className="mx-1 my-1 h-px bg-line" />
              ) : (
                <Parts.Item
                  key={entry.label}
                  onClick={entry.onChoose}
                  disabled={Boolean(entry.refusal)}
                  className={classes(item, entry.isDanger && 'text-bad')}
                >
                  {entry.icon && <Icon name={entry.icon} size={14} />}
                  <span className="flex-1">
                    {entry.label}
                    {entry.refusal && <span className="block text-meta">{entry.refusal}</span>}
                  </span>
                  {entry.note && <span className="pl-4 text-meta text-faint">{entry.note}</span>}
                </Parts.Item>
              ),
            )}
          </Parts.Popup>
        </Parts.Positioner>
      </Parts.Portal>
    </Parts.Root>
  );
}
