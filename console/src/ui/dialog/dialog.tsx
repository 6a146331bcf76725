import { Dialog as Parts } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { IconButton } from '../button.tsx';
import { classes } from '../classes.ts';

type DialogProps = {
  isOpen: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Buttons at its foot. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
};

const widths = { small: 'sm:w-[420px]', medium: 'sm:w-[560px]', large: 'sm:w-[760px]' };

const backdrop =
  'fixed inset-0 z-40 bg-veil transition-opacity data-[starting-style]:opacity-0 data-[ending-style]:opacity-0';

/** Something to decide or fill in before going on. Escape and a click beside it close it. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  actions,
  size = 'medium',
}: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Parts.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Parts.Portal>
        <Parts.Backdrop className={backdrop} />
        <Parts.Popup
          // What is to be filled in comes before the button that closes.
          initialFocus={() => body.current?.querySelector<HTMLElement>('input, textarea, button') ?? true}
          className={classes(
            'fixed z-40 flex flex-col border border-line bg-surface shadow-float outline-none transition-[opacity,translate]',
            'inset-x-0 bottom-0 max-h-[92dvh] rounded-t-panel data-[starting-style]:opacity-0 data-[ending-style]:opacity-0',
            'sm:inset-auto sm:top-[12vh] sm:left-1/2 sm:max-h-[76vh] sm:max-w-[calc(100vw-32px)] sm:-translate-x-1/2 sm:rounded-panel',
            widths[size],
          )}
        >
          <header className="flex items-start gap-4 px-4 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Parts.Title className="text-lead font-[560]">{title}</Parts.Title>
              {description && (
                <Parts.Description className="mt-0.5 text-body text-muted">{description}</Parts.Description>
              )}
            </div>
            <Parts.Close render={<IconButton icon="cross" label="Close" className="-mt-0.5 -mr-1" />} />
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-4 pb-4">
            {children}
          </div>
          {actions && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
              {actions}
            </footer>
          )}
        </Parts.Popup>
      </Parts.Portal>
    </Parts.Root>
  );
}

type DrawerProps = {
  isOpen: boolean;
  onClose(): void;
  /** What it shows, for those who do not see it. */
  label: string;
  children: ReactNode;
};

/** A look at one row beside its list, which stays usable; below 640 px it takes the whole screen. */
export function Drawer({ isOpen, onClose, label, children }: DrawerProps) {
  return (
    <Parts.Root
      open={isOpen}
      onOpenChange={(open, details) =>
        !open && details.reason !== 'focus-out' && details.reason !== 'outside-press' && onClose()
      }
      modal={false}
      disablePointerDismissal
    >
      <Parts.Portal>
        <Parts.Popup
          aria-label={label}
          initialFocus={false}
          className={classes(
            'fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-surface shadow-float outline-none',
            'transition-[translate,opacity] data-[starting-style]:translate-x-4 data-[starting-style]:opacity-0',
            'sm:w-[clamp(560px,56vw,960px)] sm:max-w-full',
          )}
        >
          {children}
        </Parts.Popup>
      </Parts.Portal>
    </Parts.Root>
  );
}
