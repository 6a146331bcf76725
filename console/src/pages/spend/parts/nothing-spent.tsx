import { useRange } from '../../../shell/range.ts';
import { Button, Notice } from '../../../ui/index.ts';

/** A time without calls. */
export function NothingSpent() {
  const { choose } = useRange('30d');
  return (
    <Notice
      icon="spend"
      title="No priced requests yet"
      action={<Button onClick={() => choose('90d')}>Look at the last 90 days</Button>}
    >
      Each answered call shows here with what it cost, by model, key, provider or any of its metadata.
    </Notice>
  );
}
