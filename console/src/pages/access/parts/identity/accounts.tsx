import { useState } from 'react';
import { useOperation } from '../../../../data/use-document.ts';
import { day } from '../../../../format/time.ts';
import { useZone } from '../../../../shell/stored.ts';
import { Button, type Column, Confirm, DeleteButton, Notice, say, Table } from '../../../../ui/index.ts';
import { DeleteServiceAccountDocument, ResetServiceAccountDocument } from '../../documents.ts';
import { CreateAccount } from './create-account.tsx';
import { type Credential, CredentialShown } from './credential-shown.tsx';
import { type Account, changes } from './use-identities.ts';

/** Programs that ask for access tokens. */
export function Accounts({ accounts }: { accounts: readonly Account[] }) {
  const [isCreating, setCreating] = useState(false);
  const [credential, setCredential] = useState<Credential | null>(null);
  const [zone] = useZone();
  const create = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New service account
    </Button>
  );
  const columns: Column<Account>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => <span className="font-[560]">{name}</span> },
    { key: 'id', head: 'Client id', isMono: true, cell: ({ id }) => id },
    {
      key: 'about',
      head: 'What it is for',
      cell: ({ description }) => <span className="text-muted">{description}</span>,
    },
    { key: 'made', head: 'Made', align: 'end', cell: ({ createdAt }) => day(createdAt, zone) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (account) => <Acts account={account} onSecret={setCredential} />,
    },
  ];
  return (
    <>
      {accounts.length === 0 ? (
        <Notice icon="access" title="No service account yet" action={create}>
          A service account is a program that asks for access tokens; access policies say what they may do.
        </Notice>
      ) : (
        <>
          <Table
            label="Service accounts"
            columns={columns}
            rows={accounts}
            keyOf={({ id }) => id}
            narrow={(account) => ({
              lead: account.name,
              side: <Acts account={account} onSecret={setCredential} />,
              meta: account.id,
            })}
          />
          <div className="px-4 py-3 sm:px-6">{create}</div>
        </>
      )}
      {isCreating && <CreateAccount onMade={setCredential} onClose={() => setCreating(false)} />}
      {credential && <CredentialShown credential={credential} onClose={() => setCredential(null)} />}
    </>
  );
}

type ActsProps = { account: Account; onSecret(credential: Credential): void };

function Acts({ account, onSecret }: ActsProps) {
  const { id, name } = account;
  const [isReplacing, setReplacing] = useState(false);
  const reset = useOperation(ResetServiceAccountDocument, {
    onDone({ resetServiceAccountSecret: { clientSecret } }) {
      setReplacing(false);
      onSecret({ name, id, clientSecret });
    },
  });
  const remove = useOperation(DeleteServiceAccountDocument, {
    changes,
    onDone: () => say(`${name} is deleted`),
  });
  return (
    <span className="flex justify-end gap-2">
      <Button onClick={() => setReplacing(true)}>New secret</Button>
      {isReplacing && (
        <Confirm
          title={`A new secret for ${name}?`}
          verb="Replace it"
          consequence="The secret of before, and every token that it brought, stop working at once."
          act={reset}
          onConfirm={() => reset.mutate({ id })}
          onClose={() => setReplacing(false)}
        />
      )}
      <DeleteButton
        name={name}
        consequence="Its tokens stop working at once, and the access policies that name it go with it."
        refusal={null}
        act={remove}
        onConfirm={() => remove.mutate({ id })}
      />
    </span>
  );
}
