import { useState } from 'react';
import { fieldErrors } from '../../../data/graph-error.ts';
import { useOperation } from '../../../data/use-document.ts';
import { useGo } from '../../../shell/address.ts';
import { FormDialog, say, TextArea, TextField } from '../../../ui/index.ts';
import { type AssistantRowFragment, CreateAssistantDocument, UpdateAssistantDocument } from '../documents.ts';

const fields = ['name', 'description', 'model', 'instructions', 'tools'] as const;
const changes = ['Assistants', 'AssistantShown'];

const draftOf = (assistant: AssistantRowFragment | null) => ({
  name: assistant?.name ?? '',
  description: assistant?.description ?? '',
  model: assistant?.model ?? '@mock/mock-1',
  instructions: assistant?.instructions ?? '',
  tools: JSON.stringify(assistant?.tools ?? [], null, 2),
});

/** A new assistant, or one that is there. */
export function AssistantForm({
  assistant,
  onClose,
}: {
  assistant: AssistantRowFragment | null;
  onClose(): void;
}) {
  const [draft, setDraft] = useState(() => draftOf(assistant));
  const go = useGo();
  const done = ({ id, name }: { id: string; name: string | null }) => {
    say(`${name ?? id} is saved`);
    onClose();
  };
  const create = useOperation(CreateAssistantDocument, {
    changes,
    onDone({ createAssistant }) {
      done(createAssistant);
      go(`assistants/${createAssistant.id}`);
    },
  });
  const update = useOperation(UpdateAssistantDocument, {
    changes,
    onDone: ({ updateAssistant }) => done(updateAssistant),
  });
  const { error, isPending } = assistant ? update : create;
  const { at, rest } = fieldErrors(error, fields);
  const tools = parsed(draft.tools);
  const field = (name: keyof typeof draft) => ({
    value: draft[name],
    error: at(name),
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [name]: target.value }),
  });

  function submit() {
    const input = { ...draft, name: draft.name.trim() || null, tools };
    if (assistant) update.mutate({ id: assistant.id, input });
    else create.mutate({ input });
  }

  return (
    <FormDialog
      title={assistant ? 'Change the assistant' : 'New assistant'}
      verb={assistant ? 'Save' : 'Create'}
      size="large"
      isBusy={isPending}
      refusal={
        draft.model.trim() === '' ? 'Name a model.' : tools === null ? 'The tools are no JSON list.' : null
      }
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={256} {...field('name')} />
      <TextField label="Model" isMono maxLength={512} required {...field('model')} />
      <TextArea label="Instructions" rows={5} {...field('instructions')} />
      <TextArea label="Tools" rows={5} isMono hint="A JSON list, as the API takes it." {...field('tools')} />
      <TextField label="Description" maxLength={512} {...field('description')} />
    </FormDialog>
  );
}

function parsed(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '[]');
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
