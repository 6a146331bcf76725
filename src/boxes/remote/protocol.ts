/** How a connection to a box server is asked for: it goes on with frames, as a box reads and writes them. */
export const UPGRADE = 'sluice-box';
export const PATH = '/boxes';

/**
 * The head of a question on its way to a box server holds the head for the box, and the milliseconds that its answer may take.
 * A frame of this type tells why the box has ended, and is the last one.
 */
export const LOST = 'lost';
