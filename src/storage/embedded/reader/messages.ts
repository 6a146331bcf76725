import type { StoreOptions } from '../store/options.ts';

/** What a reader thread is started with. `lane` marks the cursors it opens. */
export type ReaderData = { path: string; lane: number; options: StoreOptions };

/** A command for a reader: the bytes of its message, and the version of the catalogue it must know. */
export type ReaderJob = { id: number; version: number; bytes: Uint8Array };

/** A job whose client has gone. */
export type ReaderCancel = { cancelled: number };

/** Asks a reader whether it can still pause. */
export const ping = 'ping';

/** Its answer, with the cursors that it has open. */
export type ReaderPulse = { cursors: number };

/** The answer: a reply document, or the error document in its place. */
export type ReaderReply = { id: number; bytes: Uint8Array; failed: boolean };
