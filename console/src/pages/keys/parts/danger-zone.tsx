import { type ReactNode, useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { dateAndTime, relative } from '../../../format/time.ts';
import { useGo } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, Confirm, Dialog, Field, Section, Select, say } from '../../../ui/index.ts';
import { DeleteKeyDocument, KeyShownDocument, KeysDocument, RotateKeyDocument } from '../documents.ts';
import type { Key } from './columns.tsx';
import { Secret } from './secret.tsx';

const families = ['organisation_service_api_keys', 'workspace_service_api_keys', 'workspace_user_api_keys'];
const changes = [KeysDocument.name, KeyShownDocument.name];

const periods = [
  { value: '1800000', label: '30 minutes' },
  { value: '86400000', label: 'a day' },
  { value: '604800000', label: '7 days' },
  { value: '1209600000', label: '14 days' },
] as const;

/** What ends a secret, or the key: each says what follows from it. */
export function DangerZone({ keyShown: key }: { keyShown: Key }) {
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null);
  const rotate = useMay(...families.map((family) => `${family}.rotate`));
  const remove = useMay(...families.map((family) => `${family}.delete`));
  const used =
    key.lastUsedAt === null
      ? 'It was never used.'
      : `It was last used ${relative(key.lastUsedAt, Date.now())}.`;
  const close = () => setAsked(null);
  return (
    <Section title="Rotation and end">
      <Act
        text="A new secret; the present one works beside it for a while."
        button={
          <Button icon="rotate" refusal={rotate.refusal} onClick={() => setAsked('rotate')}>
            Rotate
          </Button>
        }
      />
      <Act
        text={`Calls with it are refused at once. ${used}`}
        button={
          <Button look="danger" icon="trash" refusal={remove.refusal} onClick={() => setAsked('delete')}>
            Delete
          </Button>
        }
      />
      {asked === 'rotate' && <Rotate of={key} onClose={close} />}
      {asked === 'delete' && <Delete of={key} used={used} onClose={close} />}
    </Section>
  );
}

const Act = ({ text, button }: { text: string; button: ReactNode }) => (
  <div className="flex items-center gap-4 border-b border-line px-4 py-3 last:border-0">
    <p className="flex-1 text-muted">{text}</p>
    {button}
  </div>
);

type AskProps = { of: Key; onClose(): void };

function Rotate({ of: key, onClose }: AskProps) {
  const [zone] = useZone();
  const [period, setPeriod] = useState('86400000');
  const rotate = useOperation(RotateKeyDocument, { changes });
  const made = rotate.data?.rotateApiKey;
  if (made)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`The new secret of "${key.name}"`}
        description={`This is the only time that it is shown. The one before works until ${dateAndTime(made.keyTransitionExpiresAt, zone)}.`}
        actions={
          <Button look="primary" onClick={onClose}>
            I have kept it
          </Button>
        }
      >
        <Secret value={made.key} />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rotate "${key.name}"`}
      size="small"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            isBusy={rotate.isPending}
            onClick={() => rotate.mutate({ id: key.id, input: { keyTransitionPeriodMs: Number(period) } })}
          >
            Rotate
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {rotate.error && <Banner tone="bad">{rotate.error.message}</Banner>}
        <Field label="The present secret works for another">
          {({ id }) => (
            <Select<string>
              id={id}
              label="The present secret works for another"
              choices={periods}
              value={period}
              onChange={setPeriod}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}

function Delete({ of: key, used, onClose }: AskProps & { used: string }) {
  const go = useGo();
  const remove = useOperation(DeleteKeyDocument, {
    changes: [KeysDocument.name],
    onDone() {
      say(`"${key.name}" is deleted`);
      go('keys');
    },
  });
  return (
    <Confirm
      title={`Delete "${key.name}"?`}
      consequence={`Calls with it are refused at once, and nothing brings it back. ${used}`}
      act={remove}
      onConfirm={() => remove.mutate({ id: key.id })}
      onClose={onClose}
    />
  );
}
