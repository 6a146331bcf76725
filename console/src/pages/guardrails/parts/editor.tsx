import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useGo } from '../../../shell/address.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { Banner, Button, SelectField, say, TextField } from '../../../ui/index.ts';
import { CreateGuardrailDocument, UpdateGuardrailDocument } from '../documents.ts';
import { ActionFields } from './action-fields.tsx';
import { Bench } from './bench.tsx';
import { CheckFields } from './check-fields.tsx';
import {
  blankGuardrail,
  checksIn,
  draftOf,
  type Kinds,
  missingIn,
  placeOf,
  type StoredGuardrail,
} from './draft.ts';

/** Of the organisation, in place of a workspace. */
const ORGANISATION = '_';

type EditorProps = {
  /** Null for a new one. */
  stored: StoredGuardrail | null;
  kinds: Kinds;
  /** The workspace of a new one, and of what is tried. */
  workspace: string;
  onReload(): void;
};

/** A guardrail, with a bench beside it that tries what is written. */
export function Editor({ stored, kinds, workspace, onReload }: EditorProps) {
  const [draft, setDraft] = useState(() => (stored ? draftOf(stored, kinds) : blankGuardrail));
  const [isChanged, setChanged] = useState(false);
  const [owner, setOwner] = useState(workspace);
  const { organisation, workspaces } = useViewer();
  const go = useGo();
  const mayMake = useMay('guardrails.create');
  const mayChange = useMay('guardrails.update');
  const done = ({ name, slug }: { name: string; slug: string }) => {
    say(`${name} is saved`, { detail: 'Calls that begin within a second after it follow.' });
    setChanged(false);
    go(`guardrails/${slug}`);
  };
  const changes = ['Guardrails', 'GuardrailShown', 'GuardrailsInForce'];
  const create = useOperation(CreateGuardrailDocument, {
    changes,
    onDone: ({ createGuardrail }) => done(createGuardrail),
  });
  const update = useOperation(UpdateGuardrailDocument, {
    changes,
    onDone: ({ updateGuardrail }) => done(updateGuardrail),
  });
  const { error, isPending } = stored ? update : create;
  const set = (part: Partial<typeof draft>) => {
    setDraft({ ...draft, ...part });
    setChanged(true);
  };
  const content = () => ({ name: draft.name.trim(), checks: checksIn(draft, kinds), actions: draft.actions });
  const missing = missingIn(draft, kinds);

  function save() {
    if (stored)
      return update.mutate({ id: stored.id, input: { ...content(), expectedVersionId: stored.versionId } });
    const level = owner === ORGANISATION ? { organisationId: organisation.id } : { workspaceId: owner };
    create.mutate({ input: { ...content(), ...level } });
  }

  return (
    <div className="grid gap-4 px-4 py-4 sm:px-6 xl:grid-cols-[1fr_420px]">
      <div className="flex min-w-0 flex-col gap-4">
        <TextField
          label="Name"
          maxLength={255}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
          required
        />
        {!stored && (
          <SelectField
            label="Of"
            choices={[
              ...workspaces.map(({ slug, name }) => ({ value: slug, label: name })),
              { value: ORGANISATION, label: 'the whole organisation' },
            ]}
            value={owner}
            onChange={setOwner}
          />
        )}
        <CheckFields
          checks={draft.checks}
          kinds={kinds}
          error={error}
          onChange={(checks) => set({ checks })}
        />
        <ActionFields actions={draft.actions} onChange={(actions) => set({ actions })} />
        {error && placeOf(error.param) === null && (
          <Banner
            tone="bad"
            action={error.code === 'PRECONDITION_FAILED' && <Button onClick={onReload}>Read it anew</Button>}
          >
            {error.message}
          </Banner>
        )}
        <Button
          look="primary"
          className="self-start"
          refusal={(stored ? mayChange : mayMake).refusal ?? missing}
          isBusy={isPending}
          onClick={save}
        >
          Save
        </Button>
      </div>
      <div className="min-w-0">
        <Bench
          workspace={workspace}
          missing={missing}
          against={
            stored && !isChanged
              ? { guardrailIds: [stored.id] }
              : missing === null
                ? { checks: checksIn(draft, kinds), actions: draft.actions }
                : {}
          }
        />
      </div>
    </div>
  );
}
