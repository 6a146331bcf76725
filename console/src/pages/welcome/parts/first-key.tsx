import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { FirstCall } from '../../../shell/first-call/first-call.tsx';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button } from '../../../ui/index.ts';
import { FirstKeyDocument, WelcomePresetsDocument } from '../documents.ts';

/** A key for the machine in front of one, its secret once within a program, and the call that arrives. */
export function FirstKey({ model, onSuccess }: { model: string; onSuccess(): void }) {
  const workspace = useWorkspace();
  const { data } = useDocument(WelcomePresetsDocument, {});
  const create = useOperation(FirstKeyDocument);
  const { refusal } = useMay('workspace_service_api_keys.create');
  const scopes = data?.scopePresets?.find(({ id }) => id === 'application')?.scopes ?? [];
  const made = create.data?.createWorkspaceServiceApiKey;
  if (made)
    return (
      <div className="flex flex-col gap-3">
        <p className="text-muted">
          The key "my-laptop" is in the program below, this once. Run it where you like.
        </p>
        <FirstCall
          keyId={made.id}
          secret={made.key}
          model={model}
          workspace={workspace}
          onSuccess={onSuccess}
        />
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-3">
      {create.error && <Banner tone="bad">{create.error.message}</Banner>}
      <p className="text-muted">A key named "my-laptop" that may call models, for 90 days.</p>
      <Button
        look="primary"
        icon="keys"
        refusal={refusal}
        disabled={scopes.length === 0}
        isBusy={create.isPending}
        onClick={() =>
          create.mutate({
            input: { name: 'my-laptop', workspaceId: workspace, scopes, expiresAt: in90Days() },
          })
        }
      >
        Make the key
      </Button>
    </div>
  );
}

const in90Days = (): string => new Date(Date.now() + 90 * 86_400_000).toISOString();
