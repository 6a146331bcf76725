import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { type MailDocument, mailModel } from '../../../mail/index.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryOutboxArgs } from '../../types.generated.ts';

/** Mails that the credential reaches, whatever became of them. */
export async function listMails(context: GraphContext, args: QueryOutboxArgs & PageArguments) {
  const principal = requireScope(context.principal, ['organisation_settings.read']);
  const { status, kind, to } = args;
  return findPage<MailDocument>(
    mailModel(context.db),
    { ...tenantFilter(principal), ...(status && { status }), ...(kind && { kind }), ...(to && { to }) },
    args,
  );
}
