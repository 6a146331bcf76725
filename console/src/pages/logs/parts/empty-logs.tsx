import { useRange } from '../../../shell/range.ts';
import { Button, Code, Notice } from '../../../ui/index.ts';

/** No row: either nothing passes the filter, or nothing has happened yet. */
export function EmptyLogs({ hasFilter, onClear }: { hasFilter: boolean; onClear(): void }) {
  const range = useRange();
  const base = new URL('../v1', document.baseURI).href;
  if (hasFilter)
    return (
      <Notice
        icon="filter"
        title="No log passes this filter"
        action={
          <>
            <Button onClick={onClear}>Clear the filter</Button>
            <Button onClick={() => range.choose('30d')}>Look at 30 days</Button>
          </>
        }
      >
        The whole time was searched: {range.label}.
      </Notice>
    );
  return (
    <div className="min-h-0 overflow-y-auto">
      <div
        aria-hidden
        className="mono mx-4 flex h-8 items-center gap-6 border-b border-dashed border-line text-faint opacity-70"
      >
        <span>14:02:11.204</span>
        <span>200</span>
        <span>mock-1</span>
        <span>@mock</span>
        <span className="ml-auto">12 ms</span>
      </div>
      <Notice
        title={`No request in this time: ${range.label.toLowerCase()}`}
        action={<Button onClick={() => range.choose('30d')}>Look at 30 days</Button>}
      >
        <p className="mb-3">The next one appears here by itself. This one needs no provider:</p>
        <Code
          label="command"
          text={`curl ${base}/chat/completions \\\n  -H "authorization: Bearer $SLUICE_KEY" -H 'content-type: application/json' \\\n  -d '{"model": "@mock/mock-1", "messages": [{"role": "user", "content": "Hello"}]}'`}
        />
      </Notice>
    </div>
  );
}
