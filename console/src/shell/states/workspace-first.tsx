import { Link } from '@tanstack/react-router';
import { buttonClasses, type IconName, Notice, Page } from '../../ui/index.ts';
import { useViewer } from '../session/viewer.ts';

type WorkspaceFirstProps = {
  title: string;
  /** Of the page, below the workspace in the address. */
  path: string;
  icon: IconName;
  answer: string;
  question: string;
  /** Why one has to be chosen. */
  children: string;
};

/** What belongs to one workspace is shown once that is chosen. */
export function WorkspaceFirst({ title, path, icon, answer, question, children }: WorkspaceFirstProps) {
  const { workspaces } = useViewer();
  return (
    <Page title={title} answer={answer}>
      <Notice
        icon={icon}
        title={question}
        action={workspaces.map(({ slug, name }) => (
          <Link key={slug} to={`/${slug}/${path}` as never} className={buttonClasses('plain')}>
            {name}
          </Link>
        ))}
      >
        {children}
      </Notice>
    </Page>
  );
}
