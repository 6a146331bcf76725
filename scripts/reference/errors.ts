import { catalogue, type ErrorEntry } from '../../src/errors/index.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** Every error that the gateway raises itself. */
export function errorsPage(): ReferencePage {
  const rows = Object.entries<ErrorEntry>(catalogue)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([name, entry]) => [
      String(entry.status),
      code(name),
      code(entry.type),
      entry.code === null ? '–' : code(entry.code),
      code(entry.adminCode),
      entry.retryable ? 'yes' : 'no',
      entry.message,
    ]);
  return page(
    'errors',
    'Errors',
    'src/errors/areas',
    [
      'What the gateway itself answers when something is wrong; errors of providers pass as [calling.md](../calling.md#errors)',
      'says. GraphQL answers carry the name as `extensions.code`; inference answers carry `type` and `code`; administration',
      'answers over REST carry the code `AB…`. The message may say more than the one below. A client may send the same request',
      'again where *again* says yes.',
      '',
      tableOf(['status', 'name', 'type', 'code', 'administration', 'again', 'message'], rows),
    ].join('\n'),
  );
}
