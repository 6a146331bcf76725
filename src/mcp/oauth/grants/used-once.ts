import type { Connection } from 'mongoose';
import { isDuplicateBatch } from '../../../storage/duplicates.ts';
import { usedOnceModel } from './model.ts';

/** True for the first use of an id, in whatever process, until a time in milliseconds since the epoch. */
export async function isFirstUse(db: Connection, id: string, until: number): Promise<boolean> {
  try {
    await usedOnceModel(db).create({ _id: id, until: new Date(until) });
    return true;
  } catch (error) {
    if (isDuplicateBatch(error)) return false;
    throw error;
  }
}
