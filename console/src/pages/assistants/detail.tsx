import { useState } from 'react';
import { useDocument, useOperation } from '../../data/use-document.ts';
import { useGo } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Button, DeleteButton, Page, say } from '../../ui/index.ts';
import { AssistantShownDocument, DeleteAssistantDocument } from './documents.ts';
import { AssistantForm } from './parts/assistant-form.tsx';
import { Conversation } from './parts/conversation.tsx';

/** One assistant, and what its runs are doing. */
export function AssistantDetail({ id }: { id: string }) {
  const [isEditing, setEditing] = useState(false);
  const { refusal } = useMay('completions.write');
  const query = useDocument(AssistantShownDocument, { id });
  const assistant = query.data?.assistant;
  return (
    <Page
      title={assistant?.name ?? id}
      answer={assistant && `${assistant.model}, version ${assistant.version}.`}
      actions={
        assistant && (
          <>
            <Button icon="edit" refusal={refusal} onClick={() => setEditing(true)}>
              Edit
            </Button>
            <DeleteAssistant id={id} name={assistant.name ?? id} refusal={refusal} />
          </>
        )
      }
    >
      <Asked query={query} what="The assistant">
        {() => <Conversation assistant={id} />}
      </Asked>
      {isEditing && assistant && <AssistantForm assistant={assistant} onClose={() => setEditing(false)} />}
    </Page>
  );
}

type DeleteAssistantProps = { id: string; name: string; refusal: string | null };

function DeleteAssistant({ id, name, refusal }: DeleteAssistantProps) {
  const go = useGo();
  const remove = useOperation(DeleteAssistantDocument, {
    changes: ['Assistants'],
    onDone() {
      say(`${name} is deleted`);
      go('assistants');
    },
  });
  return (
    <DeleteButton
      name={name}
      consequence="New runs with it are refused. Threads and what was said in them stay."
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
