import { Link } from '@tanstack/react-router';
import { useViewer } from '../../../shell/session/viewer.ts';
import { buttonClasses, Notice } from '../../../ui/index.ts';
import { Page } from '../../../ui/page.tsx';

/** Configs belong to workspaces: one is chosen first. */
export function WorkspaceFirst() {
  const { workspaces } = useViewer();
  return (
    <Page title="Configs" answer="Each workspace has configs of its own.">
      <Notice
        icon="configs"
        title="Whose configs?"
        action={workspaces.map(({ slug, name }) => (
          <Link key={slug} to={`/${slug}/configs` as never} className={buttonClasses('plain')}>
            {name}
          </Link>
        ))}
      >
        A call can name the configs of the workspace of its key, and no others.
      </Notice>
    </Page>
  );
}
