import { useState } from 'react';
import { Dialog, Icon, useIsNarrow } from '../../ui/index.ts';
import { mainPaths, pages } from '../pages.ts';
import { mayAny, useViewer } from '../session/viewer.ts';
import { NavLink } from './nav-link.tsx';

/** The pages where the window is narrow: those of every day at the foot, all others behind "More". */
export function BottomBar() {
  const [isOpen, setOpen] = useState(false);
  const viewer = useViewer();
  const isNarrow = useIsNarrow();
  if (!isNarrow) return null;
  const seen = pages.filter(({ scopes }) => mayAny(viewer, scopes));
  const isMain = ({ path }: { path: string }) => mainPaths.includes(path);
  const rest = seen.filter((page) => !isMain(page));
  return (
    <nav aria-label="Main pages" className="flex h-14 shrink-0 border-t border-line bg-surface">
      {seen.filter(isMain).map(({ path, label, icon }) => (
        <NavLink key={path} look="bottom" {...{ path, label, icon }} />
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-meta text-muted"
        >
          <Icon name="menu" />
          More
        </button>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Pages" size="small">
        <div className="flex flex-col gap-0.5">
          {rest.map(({ path, label, icon }) => (
            <NavLink key={path} look="side" onClick={() => setOpen(false)} {...{ path, label, icon }} />
          ))}
        </div>
      </Dialog>
    </nav>
  );
}
