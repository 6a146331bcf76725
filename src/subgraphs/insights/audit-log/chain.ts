import { requireScope } from '../../../auth/index.ts';
import { verifyPart } from '../../../recording/audit/partial-walk.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { GraphContext } from '../../context.ts';

/** Whether a part of the organisation's chain is as it was written. */
export function checkChain(context: GraphContext, { after, limit }: { after: number; limit: number }) {
  const { organisationId } = requireScope(context.principal, ['audit_logs.list']);
  const sign = (text: string) => context.secrets.sign('audit chain', text);
  return verifyPart(nativeDb(context.db), sign, { organisationId, after, limit });
}
