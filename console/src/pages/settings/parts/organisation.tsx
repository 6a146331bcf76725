import { useState } from 'react';
import { fieldErrors } from '../../../data/graph-error.ts';
import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Check, Section, SelectField, say } from '../../../ui/index.ts';
import { ChangeSettingsDocument, type LogMode, SettingsDocument, type SettingsQuery } from '../documents.ts';
import { ForcedApproval } from './forced-approval.tsx';

type Stored = NonNullable<NonNullable<SettingsQuery['organisation']>['settings']>;
type Flag = 'allowLogModeOverride' | 'allowExportOverride' | 'savedConfigsOnly';

const flags: readonly { name: Flag; label: string; effect: string }[] = [
  {
    name: 'allowLogModeOverride',
    label: 'Workspaces may keep more or less of requests than that',
    effect: 'A mode of the workspace then outweighs this one.',
  },
  {
    name: 'allowExportOverride',
    label: 'Workspaces may choose for themselves what log exports hold',
    effect: 'Exports that run from then on follow the workspace.',
  },
  {
    name: 'savedConfigsOnly',
    label: 'Requests name configs, providers and hosts only by what is saved here',
    effect: 'A request with a config or a host of its own is refused.',
  },
];

const modes = [
  { value: '', label: 'what the installation and the request say' },
  { value: 'full', label: 'measures, headers and bodies' },
  { value: 'metrics', label: 'measures alone' },
] as const;

const roles = [
  { prefix: 'orgAdmins', label: 'Admins of the organisation' },
  { prefix: 'managers', label: 'Managers of a workspace' },
  { prefix: 'members', label: 'Members of a workspace' },
] as const;

/** `ViewLogsMetadata` as `view logs metadata`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([A-Z])/g, ' $1')
    .trim()
    .toLowerCase()
    .replace('ws ', 'workspace ')
    .replace('mcp', 'MCP')
    .replace('api ', 'API ');

/** What holds in all workspaces. It is saved as a whole, and the next request follows. */
export function OrganisationForm({ stored }: { stored: Stored }) {
  const [draft, setDraft] = useState(stored);
  const { refusal } = useMay('organisation_settings.update');
  const save = useOperation(ChangeSettingsDocument, {
    changes: [SettingsDocument.name],
    onDone: () => say('The settings are saved'),
  });
  const wrong = fieldErrors(save.error, ['mcpForceApproval']);
  const { switches } = draft;
  const names = Object.keys(switches) as (keyof typeof switches)[];
  return (
    <div className="flex max-w-200 flex-col gap-4 px-4 py-4 sm:px-6">
      <Section title="Requests">
        <div className="flex flex-col gap-3 p-4">
          <SelectField<LogMode | ''>
            label="Logs keep"
            hint="It holds for the next request, and outweighs what x-gateway-debug asks for. Logs that are there stay as they are."
            choices={modes}
            value={draft.logMode ?? ''}
            onChange={(mode) => setDraft({ ...draft, logMode: mode || null })}
          />
          {flags.map(({ name, label, effect }) => (
            <Check
              key={name}
              label={
                <>
                  {label}
                  <span className="block text-meta text-muted">{effect}</span>
                </>
              }
              checked={draft[name]}
              onChange={({ target }) => setDraft({ ...draft, [name]: target.checked })}
            />
          ))}
        </div>
      </Section>
      <Section title="MCP">
        <div className="p-4">
          <ForcedApproval
            tools={stored.mcpForceApproval}
            error={wrong.at('mcpForceApproval')}
            onChange={(mcpForceApproval) => setDraft({ ...draft, mcpForceApproval })}
          />
        </div>
      </Section>
      {roles.map(({ prefix, label }) => (
        <Section key={prefix} title={label}>
          <fieldset className="grid gap-x-4 p-4 sm:grid-cols-2">
            <legend className="sr-only">{label} may</legend>
            {names
              .filter((name) => name.startsWith(prefix))
              .map((name) => (
                <Check
                  key={name}
                  label={wordsOf(name.slice(prefix.length))}
                  checked={switches[name]}
                  onChange={({ target }) =>
                    setDraft({ ...draft, switches: { ...switches, [name]: target.checked } })
                  }
                />
              ))}
          </fieldset>
        </Section>
      ))}
      {wrong.rest && <Banner tone="bad">{wrong.rest}</Banner>}
      <Button
        look="primary"
        className="self-start"
        refusal={refusal}
        isBusy={save.isPending}
        onClick={() => save.mutate({ input: changesOf(stored, draft) })}
      >
        Save
      </Button>
    </div>
  );
}

/** Only what differs is sent: what somebody else has changed meanwhile stays. */
function changesOf(before: Stored, { switches, ...after }: Stored) {
  const differs = ([name, value]: [string, unknown]) => before[name as keyof Stored] !== value;
  const turned = Object.entries(switches).filter(
    ([name, isOn]) => before.switches[name as keyof typeof switches] !== isOn,
  );
  return {
    ...Object.fromEntries(Object.entries(after).filter(differs)),
    ...(turned.length > 0 && { switches: Object.fromEntries(turned) }),
  };
}
