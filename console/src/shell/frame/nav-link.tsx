import { Link } from '@tanstack/react-router';
import { classes, Icon, type IconName } from '../../ui/index.ts';
import { useWorkspaceSlug } from '../address.ts';

type NavLinkProps = {
  path: string;
  label: string;
  icon: IconName;
  look: 'side' | 'bottom';
  isCollapsed?: boolean;
  onClick?(): void;
};

/** A way to a page, marked while one is there. */
export function NavLink({ path, label, icon, look, isCollapsed, onClick }: NavLinkProps) {
  const slug = useWorkspaceSlug();
  return (
    <Link
      to={`/${slug}/${path}` as never}
      search={{} as never}
      preload="intent"
      onClick={onClick}
      title={isCollapsed ? label : undefined}
      activeOptions={{ includeSearch: false }}
      className={classes(
        'transition-colors aria-[current=page]:text-accent',
        look === 'side'
          ? 'flex h-7 items-center gap-2.5 rounded-control px-2 text-muted hover:bg-hover hover:text-text aria-[current=page]:bg-tint aria-[current=page]:font-[560] max-sm:h-11'
          : 'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-meta text-muted',
        isCollapsed && 'justify-center px-0',
      )}
    >
      <Icon name={icon} />
      <span className={isCollapsed ? 'sr-only' : 'truncate'}>{label}</span>
    </Link>
  );
}
