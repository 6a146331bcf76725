import { useState } from 'react';
import { fieldErrors } from '../../../data/graph-error.ts';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { useGo } from '../../../shell/address.ts';
import { useViewer } from '../../../shell/session/viewer.ts';
import { FormDialog, SelectField, say, TextField } from '../../../ui/index.ts';
import {
  CreateMcpIntegrationDocument,
  CreateMcpServerDocument,
  McpIntegrationsDocument,
} from '../documents.ts';
import { blankConnection, ConnectionFields } from './connection-fields.tsx';

/** A connection that is made with the server, in place of one that is there. */
const NEW = 'new';
const fields = ['name', 'url', 'configurations', 'workspaceId', 'mcpIntegrationId'] as const;

/** Opens a server to the callers of a workspace: over a connection that is there, or over a new one. */
export function AddServer({ onClose }: { onClose(): void }) {
  const own = useWorkspace();
  const { workspaces } = useViewer();
  const [draft, setDraft] = useState({
    ...{ name: '', integration: NEW, ...blankConnection },
    workspace: own ?? workspaces[0]?.slug ?? '',
  });
  const found = useDocument(McpIntegrationsDocument, { workspace: draft.workspace });
  const go = useGo();
  const connect = useOperation(CreateMcpIntegrationDocument, { changes: ['McpIntegrations'] });
  const create = useOperation(CreateMcpServerDocument, {
    changes: ['McpServers'],
    onDone({ createMcpServer: { name, slug } }) {
      say(`${name} is open to callers`, { detail: 'What it offers is read now.' });
      onClose();
      go(`mcp/${slug}`);
    },
  });
  const set = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const isNew = draft.integration === NEW;
  const hasHeader = draft.header.trim() !== '';
  const error = connect.error ?? create.error;
  const { at, rest } = fieldErrors(error, fields);

  const open = (mcpIntegrationId: string) =>
    create.mutate({ input: { name: draft.name.trim(), workspaceId: draft.workspace, mcpIntegrationId } });

  function submit() {
    if (!isNew) return open(draft.integration);
    connect.mutate(
      {
        input: {
          name: draft.name.trim(),
          workspaceId: draft.workspace,
          url: draft.url.trim(),
          transport: draft.transport,
          authType: hasHeader ? 'headers' : 'none',
          ...(hasHeader && { configurations: { headers: { [draft.header.trim()]: draft.value } } }),
        },
      },
      {
        onSuccess({ createMcpIntegration: { id } }) {
          // A second try, after a refusal of the server alone, takes the connection that is there now.
          set({ integration: id, value: '' });
          open(id);
        },
      },
    );
  }

  return (
    <FormDialog
      title="Add an MCP server"
      verb="Add"
      isBusy={connect.isPending || create.isPending}
      refusal={
        draft.name.trim() === ''
          ? 'Give it a name.'
          : isNew && draft.url.trim() === ''
            ? 'Say where it answers.'
            : null
      }
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={255}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
        error={at('name')}
        required
      />
      <SelectField
        label="Workspace"
        choices={workspaces.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={draft.workspace}
        onChange={(workspace) => set({ workspace, integration: NEW })}
        error={at('workspaceId')}
      />
      <SelectField
        label="Connection"
        choices={[
          { value: NEW, label: 'a new one' },
          ...(found.data?.mcpIntegrations?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={draft.integration}
        onChange={(integration) => set({ integration })}
        error={at('mcpIntegrationId')}
      />
      {isNew && <ConnectionFields draft={draft} onChange={set} at={at} />}
    </FormDialog>
  );
}
