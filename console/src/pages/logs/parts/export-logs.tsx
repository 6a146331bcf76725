import { useState } from 'react';
import { useWorkspace } from '../../../data/workspace.ts';
import type { Range } from '../../../shell/range.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { Button } from '../../../ui/index.ts';
import type { LogFilters } from '../documents.ts';
import { exportFilters } from '../query/export-filters.ts';
import { ExportDialog } from './export-dialog.tsx';

type ExportLogsProps = {
  /** Of the list; null while names that it needs are on their way. */
  filters: LogFilters | null;
  range: Range;
};

/** Writes the logs of the list into a file. */
export function ExportLogs({ filters, range }: ExportLogsProps) {
  const workspace = useWorkspace();
  const { kind } = useViewer();
  const { refusal } = useMay('logs.export');
  const [until, setUntil] = useState<string | null>(null);
  const known = filters && exportFilters(filters);
  const isOfOne = workspace !== null || kind.startsWith('workspace');
  return (
    <>
      <Button
        icon="download"
        className="max-md:hidden"
        refusal={
          refusal ??
          (isOfOne ? null : 'An export is of one workspace: choose one.') ??
          (filters ? null : 'The names in the filter are on their way.') ??
          (known ? null : 'An export takes a comma as the end of a name, and the filter has one in a name.')
        }
        // A list until now goes on; what is exported ends where it was asked for.
        onClick={() => setUntil(range.isOpen ? new Date().toISOString() : range.to)}
      >
        Export
      </Button>
      {until !== null && known && (
        <ExportDialog
          filters={{ ...known, timeOfGenerationMin: range.from, timeOfGenerationMax: until }}
          onClose={() => setUntil(null)}
        />
      )}
    </>
  );
}
