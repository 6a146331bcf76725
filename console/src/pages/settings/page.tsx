import { useDocument } from '../../data/use-document.ts';
import { useSearch } from '../../shell/address.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Notice, Page, Tabs } from '../../ui/index.ts';
import { SettingsDocument } from './documents.ts';
import { Installed } from './parts/installed.tsx';
import { OrganisationForm } from './parts/organisation.tsx';
import { Own } from './parts/own.tsx';

/** How is this installation set up? */
export default function Settings() {
  const [{ view = 'organisation' }, change] = useSearch();
  const query = useDocument(SettingsDocument, {});
  const organisation = query.data?.organisation;
  return (
    <Page
      title="Settings"
      answer={organisation && `${organisation.name}: what is changed here holds for the next request.`}
    >
      <Tabs
        label="Settings"
        value={view}
        onChange={(value) => change({ view: value })}
        tabs={[
          {
            value: 'organisation',
            label: 'Organisation',
            panel: (
              <Asked query={query} what="Settings">
                {(answer) =>
                  answer.organisation?.settings ? (
                    <OrganisationForm stored={answer.organisation.settings} />
                  ) : (
                    <Notice icon="keys" title="You have no permission to see settings">
                      <p>They need organisation_settings.read.</p>
                      <p>Owners and admins of the organisation give permissions, on the page Access.</p>
                    </Notice>
                  )
                }
              </Asked>
            ),
          },
          { value: 'own', label: 'Yours', panel: <Own /> },
          { value: 'installation', label: 'Installation', panel: <Installed /> },
        ]}
      />
    </Page>
  );
}
