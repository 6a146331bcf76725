import type { GraphContext } from '../../context.ts';

/** What responses need, whichever door they are asked for at. */
export type ResponseServices = Pick<GraphContext, 'db' | 'runs' | 'secrets' | 'now'>;
