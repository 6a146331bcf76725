import { decode } from '../bson/decode.ts';
import { failedToParse } from '../errors.ts';
import type { Document } from '../value/types.ts';
import { tooLong } from './batch.ts';
import {
  bypassValidation,
  type Command,
  collectionName,
  documentField,
  fieldSet,
  flagField,
  parseSelection,
  type Request,
} from './command.ts';
import { findProjection } from './find.ts';
import { type Change, changeRunner } from './locate.ts';
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

/** A change of one document that hands back the document as it was, or as it has become. */
function handingBack({ store }: Request, returnNew: boolean, change: Change): Change {
  return (collection, matches) => {
    const [match] = matches;
    const outcome = change(collection, matches);
    if (!match || !collection) return returnNew ? outcome : { ...outcome, value: null };
    const after = returnNew ? store.documents.read(collection, match.record) : null;
    return { ...outcome, value: decode(after ?? match.body) };
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
  const runner = changeRunner(request, name, selection, handingBack(request, flagField(body, 'new'), change));
  const quick = await store.writes.run(runner.now);
  const { n, upserted, value } = quick === tooLong ? await runner.slowly() : quick;
  return {
    lastErrorObject: {
      n,
      ...(isUpdate ? { updatedExisting: n > 0 && upserted === undefined } : {}),
      ...(upserted === undefined ? {} : { upserted }),
    },
    value: value && project ? project(value) : value,
    ok: 1,
  };
}

const fields = `query sort remove update new fields projection upsert arrayFilters hint collation let ${bypassValidation}`;
const command: Command = { fields: fieldSet(fields), run: findAndModify };

export const findAndModifyCommands: Record<string, Command> = {
  findAndModify: command,
  findandmodify: command,
};
