import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { counted } from '../../../format/number.ts';
import { Banner, buttonClasses, Check, FormDialog, Status } from '../../../ui/index.ts';
import {
  DrawUpLogExportDocument,
  LogExportBoundsDocument,
  type LogExportField,
  type LogExportFiltersInput,
  LogExportShownDocument,
  StartLogExportDocument,
} from '../documents.ts';

const measures: readonly LogExportField[] = [
  'id',
  'trace_id',
  'created_at',
  'is_success',
  'response_status_code',
  'ai_org',
  'ai_model',
  'req_units',
  'res_units',
  'total_units',
  'request_url',
  'cost',
  'cost_currency',
  'response_time',
  'mode',
  'config',
  'prompt_slug',
  'metadata',
];
const bodies: readonly LogExportField[] = ['request', 'response'];

/** Milliseconds between two looks at how far it has come. */
const PAUSE_MS = 500;

/** Has the service write an export, and gives its file. */
export function ExportDialog({ filters, onClose }: { filters: LogExportFiltersInput; onClose(): void }) {
  const workspace = useWorkspace();
  const [hasBodies, setBodies] = useState(false);
  const bounds = useDocument(LogExportBoundsDocument, { workspace });
  const denied = bounds.data?.logExportFieldRestrictions?.deniedFields ?? [];
  const fields = [...measures, ...(hasBodies ? bodies : [])].filter((field) => !denied.includes(field));
  const start = useOperation(StartLogExportDocument);
  const drawUp = useOperation(DrawUpLogExportDocument, {
    onDone: ({ createLogExport: { id } }) => start.mutate({ id }),
  });
  const id = start.data?.startLogExport.logExport.id ?? null;
  const [isWritten, setWritten] = useState(false);
  const shown = useDocument(
    LogExportShownDocument,
    { id: id ?? '', isWritten },
    {
      isEnabled: id !== null,
      askAgain: ({ logExport }) => (logExport?.status === 'in_progress' ? PAUSE_MS : null),
    },
  );
  const made = id === null ? null : shown.data?.logExport;
  if (made?.status === 'success' && !isWritten) setWritten(true);
  const file = shown.data?.logExportDownload?.signedUrl;
  const error = bounds.error ?? drawUp.error ?? start.error ?? shown.error;
  return (
    <FormDialog
      title="Export logs"
      description="The logs of this list as lines of JSON, the oldest first, at most 50,000."
      verb="Export"
      isBusy={drawUp.isPending || start.isPending || made?.status === 'in_progress'}
      refusal={
        bounds.data ? (id === null ? null : 'It is written.') : 'What may be exported is not known yet.'
      }
      problem={error?.message ?? made?.error}
      onSubmit={() => drawUp.mutate({ input: { workspaceId: workspace, filters, requestedData: fields } })}
      onClose={onClose}
    >
      <Check
        label="With what was sent and what was answered"
        checked={hasBodies}
        disabled={id !== null || bodies.some((field) => denied.includes(field))}
        onChange={({ target }) => setBodies(target.checked)}
      />
      {denied.length > 0 && <Banner tone="info">Left out here by the settings: {denied.join(', ')}.</Banner>}
      <div aria-live="polite">
        {made && made.status !== 'success' && (
          <Status tone={made.status === 'failed' ? 'bad' : 'info'}>
            {made.status.replace('_', ' ')}, {counted(made.total, 'log')}
          </Status>
        )}
        {file && (
          <a href={file} download className={buttonClasses('primary')}>
            Download {counted(made?.records ?? 0, 'line')}
          </a>
        )}
      </div>
    </FormDialog>
  );
}
