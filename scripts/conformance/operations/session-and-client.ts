import type { Operations } from './table.ts';

export const sessionOperations: Operations<'session'> = {
  endSession: async ({ session }) => await session.endSession(),
  startTransaction: async ({ session }, args) => session.startTransaction(args.options()),
  commitTransaction: async ({ session }, args) => await session.commitTransaction(args.options()),
  abortTransaction: async ({ session }, args) => await session.abortTransaction(args.options()),
};

export const clientOperations: Operations<'client'> = {
  close: async ({ client }) => await client.close(),
};
