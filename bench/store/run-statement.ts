// One long statement in a process of its own, so that what it costs its client does not slow the reads beside it.
import { once } from 'node:events';
import { connect, largeName } from './context.ts';
import type { LogDocument } from './documents.ts';
import { timed } from './measure.ts';
import { statements } from './statements.ts';

const [uri = '', name = '', pass = ''] = process.argv.slice(2);
const client = connect(uri);
await client.connect();
process.send?.('ready');
await once(process, 'message');
const logs = client.db().collection<LogDocument>(largeName);
const elapsed = await timed(async () => statements[name]?.run(logs, Number(pass)));
process.send?.(elapsed);
await client.close();
process.disconnect();
