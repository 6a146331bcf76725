import { timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { contentName, type LogExportDocument, logExportModel } from './model.ts';

/** What a link to a content carries beside the export's id. */
export type LinkMembers = { expires?: string | undefined; signature?: string | undefined };

type Dependencies = Pick<GraphContext, 'db' | 'secrets' | 'exports' | 'now'>;

/** The path under which this process gives the content away until `expires`, in Unix seconds. */
export const contentPath = (
  { secrets }: Pick<GraphContext, 'secrets'>,
  id: string,
  expires: number,
): string =>
  `/v1/logs/exports/${id}/content?expires=${expires}&signature=${signatureOf(secrets, id, expires)}`;

const signatureOf = (secrets: GraphContext['secrets'], id: string, expires: number): string =>
  secrets.sign('export link', `${id} ${expires}`);

/** The content that a link leads to; throws FORBIDDEN for one that is forged or too old, NOT_FOUND for one that is gone. */
export async function linkedContent(
  { db, secrets, exports, now }: Dependencies,
  id: string,
  link: LinkMembers,
) {
  const expires = Number(link.expires);
  const isGenuine =
    /^\d{1,12}$/.test(link.expires ?? '') && isEqual(link.signature ?? '', signatureOf(secrets, id, expires));
  if (!isGenuine || expires * 1000 <= now().getTime()) {
    throw new GatewayError('FORBIDDEN', {
      message:
        'The link is not valid, or not any more: ask for another by /logs/exports/{exportId}/download.',
    });
  }
  const found = await logExportModel(db)
    .findOne({ _id: id, status: 'success' }, { attempt: 1 })
    .lean<Pick<LogExportDocument, 'attempt'>>();
  const content = found?.attempt ? await exports.files.open(contentName(id, found.attempt)) : null;
  if (!content) throw new GatewayError('NOT_FOUND', { message: 'The content of the export is not here.' });
  return content;
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
