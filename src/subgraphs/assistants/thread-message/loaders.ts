import type { Model } from 'mongoose';
import type { MessageItem } from '../../../runs/items.ts';
import { loaderById } from '../../loading.ts';
import { visible } from '../caller.ts';
import { threadItemModel } from './model.ts';

/** Messages by their ids; null for those that are gone. */
export const messageById = loaderById<MessageItem>(
  (db) => threadItemModel(db) as unknown as Model<MessageItem>,
  (principal) => ({ kind: 'message', ...visible(principal) }),
);
