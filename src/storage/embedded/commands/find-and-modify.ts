import { decode } from '../bson/decode.ts';
import { failedToParse } from '../errors.ts';
import type { Projection } from '../query/projection.ts';
import type { Document } from '../value/types.ts';
import { tooLong } from './batch.ts';
import {
  bypassValidation,
  type Command,
  collectionName,
  commandFields,
  documentField,
  flagField,
  parseSelection,
  type Request,
} from './command.ts';
import { findProjection } from './find.ts';
import { changeRunner, type StatementChange } from './locate.ts';
import { removing, updating } from './write.ts';

function checkOptions(body: Document): void {
  const remove = flagField(body, 'remove');
  if (!remove && body.update === undefined)
    throw failedToParse('Either an update or remove=true must be specified');
  if (!remove) return;
  if (body.update !== undefined) throw failedToParse('Cannot specify both an update and remove=true');
  if (flagField(body, 'upsert')) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (flagField(body, 'new')) throw failedToParse('Cannot specify both new=true and remove=true');
}

/**
 * A change of one document that hands back the document as it was, or as it has become. A projection that fails does so
 * inside the transaction, so that nothing is written.
 */
function handingBack(
  { store }: Request,
  returnNew: boolean,
  project: Projection | null,
  change: StatementChange,
): StatementChange {
  return (collection, matches) => {
    const [match] = matches;
    const outcome = change(collection, matches);
    const after = match && collection && returnNew ? store.documents.read(collection, match.record) : null;
    const stored = after ?? match?.body;
    const made = returnNew ? outcome.value : null;
    const value = stored ? decode(stored) : made;
    return { ...outcome, value: value && project ? project(value) : value };
  };
}

async function findAndModify(request: Request): Promise<Document> {
  const { body, store } = request;
  checkOptions(body);
  const name = collectionName(request);
  const selection = { ...parseSelection(body, 'query'), limit: 1 };
  const project = findProjection(
    documentField(body, 'fields') ?? documentField(body, 'projection'),
    selection,
  );
  const { update: u, arrayFilters, upsert } = body;
  const isUpdate = !flagField(body, 'remove');
  const change = isUpdate
    ? updating(request, name, selection, { u, arrayFilters, upsert })
    : removing(request);
  const wanted = handingBack(request, flagField(body, 'new'), project, change);
  const runner = changeRunner(request, name, selection, wanted);
  const quick = await store.writes.run(runner.now);
  const { n, upserted, value } = quick === tooLong ? await runner.slowly() : quick;
  return {
    lastErrorObject: {
      n,
      ...(isUpdate ? { updatedExisting: n > 0 && upserted === undefined } : {}),
      ...(upserted === undefined ? {} : { upserted }),
    },
    value,
    ok: 1,
  };
}

const fields = `query:object sort:object remove:flag update new:flag fields:object projection:object upsert:flag arrayFilters:array hint collation:object let:object ${bypassValidation}:flag`;
const command = (name: string): Command => ({ fields: commandFields(name, fields), run: findAndModify });

export const findAndModifyCommands: Record<string, Command> = {
  findAndModify: command('findAndModify'),
  findandmodify: command('findandmodify'),
};
