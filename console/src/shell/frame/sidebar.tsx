import { classes, Icon, IconButton, Kbd } from '../../ui/index.ts';
import { pages } from '../pages.ts';
import { mayAny, useViewer } from '../session/viewer.ts';
import { useStored } from '../stored.ts';
import { Mark } from './mark.tsx';
import { NavLink } from './nav-link.tsx';

const groups = ['Observe', 'Build', 'Govern', ''] as const;

/** The pages, by what people do there; those of which the viewer may list nothing are absent. */
export function Sidebar({ onSearch }: { onSearch(): void }) {
  const [width, setWidth] = useStored('sidebar', ['wide', 'narrow']);
  const viewer = useViewer();
  const isCollapsed = width === 'narrow';
  const seen = pages.filter(({ scopes }) => mayAny(viewer, scopes));
  return (
    <nav
      aria-label="Pages"
      className={classes(
        'hidden shrink-0 flex-col gap-4 overflow-y-auto border-r border-line bg-surface p-3 sm:flex',
        isCollapsed ? 'w-14' : 'w-56',
      )}
    >
      <div
        className={classes(
          'flex h-7 items-center gap-2 px-1 text-lead font-[560]',
          isCollapsed && 'justify-center',
        )}
      >
        <Mark />
        {!isCollapsed && <span className="flex-1">Sluice</span>}
      </div>
      <button
        type="button"
        onClick={onSearch}
        aria-label="Search and commands"
        className={classes(
          'flex h-7 shrink-0 items-center gap-2 rounded-control border border-strong bg-bg px-2 text-faint transition-colors hover:text-text',
          isCollapsed && 'justify-center',
        )}
      >
        <Icon name="search" size={14} />
        {!isCollapsed && (
          <>
            <span className="flex-1 text-left">Search</span>
            <Kbd>⌘K</Kbd>
          </>
        )}
      </button>
      {groups.map((group) => {
        const own = seen.filter((page) => page.group === group);
        return own.length === 0 ? null : (
          <div key={group} className="flex flex-col gap-0.5">
            {group && !isCollapsed && <h2 className="px-2 pb-1 text-meta text-faint">{group}</h2>}
            {own.map(({ path, label, icon }) => (
              <NavLink key={path} look="side" isCollapsed={isCollapsed} {...{ path, label, icon }} />
            ))}
          </div>
        );
      })}
      <IconButton
        icon={isCollapsed ? 'right' : 'left'}
        label={isCollapsed ? 'Widen the sidebar' : 'Collapse the sidebar'}
        className="mt-auto"
        onClick={() => setWidth(isCollapsed ? 'wide' : 'narrow')}
      />
    </nav>
  );
}
