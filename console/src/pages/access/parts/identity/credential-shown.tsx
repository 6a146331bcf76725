import { Button, Code, Dialog } from '../../../../ui/index.ts';

export type Credential = { name: string; id: string; clientSecret: string };

/** The secret of a service account, once, beside what brings a token for it. */
export const CredentialShown = ({
  credential: { name, id, clientSecret },
  onClose,
}: {
  credential: Credential;
  onClose(): void;
}) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={`Keep the secret of ${name}`}
    description="It is shown once."
    actions={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    <div className="flex flex-col gap-3">
      <Code text={clientSecret} label="client secret" />
      <p className="text-muted">A program gets a token so:</p>
      <Code
        label="program"
        text={`curl ${new URL('../oauth2/access_token', document.baseURI).href} \\\n  -u ${id}:$CLIENT_SECRET -d grant_type=client_credentials`}
      />
    </div>
  </Dialog>
);
