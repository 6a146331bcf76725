import { storeFileId } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import type { VectorStoreFileStatus } from '../../types.generated.ts';
import { requireReader, visible } from '../caller.ts';
import { formerPlaces } from '../former-places.ts';
import { vectorStoreFileModel } from './model.ts';

type Asked = {
  storeId: string;
  /** The list: the files of a store, or of a batch. */
  within: { storeId: string } | { batchId: string };
  filter?: VectorStoreFileStatus | null | undefined;
  args: CursorArguments;
};

/** A part of the files of a store or a batch. Cursors are the ids of the files themselves. */
export async function storeFilePage(context: GraphContext, { storeId, within, filter, args }: Asked) {
  const tenant = visible(requireReader(context));
  const page = await findCursorPage(
    vectorStoreFileModel(context.db),
    { ...within, ...tenant },
    filter == null ? {} : { status: filter },
    {
      ...args,
      after: args.after && storeFileId(storeId, args.after),
      before: args.before && storeFileId(storeId, args.before),
      formerPlace: formerPlaces(context, storeId, tenant),
    },
  );
  const { data } = page;
  return { ...page, firstId: data[0]?.fileId ?? null, lastId: data.at(-1)?.fileId ?? null };
}
