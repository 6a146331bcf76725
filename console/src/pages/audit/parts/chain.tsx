import { useDocument } from '../../../data/use-document.ts';
import { count, counted } from '../../../format/number.ts';
import { Status } from '../../../ui/index.ts';
import { AuditChainDocument } from '../documents.ts';

/** Whether the entries are those that were written, as far as that was looked at. */
export function Chain() {
  const { data } = useDocument(AuditChainDocument, { after: 0 }, { freshFor: 60_000 });
  const chain = data?.auditChain;
  if (!chain) return null;
  const { breakCount, verifiedTo } = chain;
  return breakCount > 0 ? (
    <Status tone="bad">{counted(breakCount, 'break')} in the chain</Status>
  ) : (
    <Status tone="ok">chain intact to #{count(verifiedTo)}</Status>
  );
}
