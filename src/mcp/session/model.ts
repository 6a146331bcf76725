import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';

/** What of a session cannot stand in its id: that it has ended, and the upstream session that has taken another's place. */
export type SessionDocument = {
  /** Of the session. */
  _id: string;
  organisationId: string;
  endedAt: Date | null;
  /** Sealed JSON of an upstream session. */
  upstream: string | null;
  /** Tells this upstream session from the one before. */
  upstreamHash: string | null;
  expiresAt: Date;
};

const schema = new Schema<SessionDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    endedAt: { type: Date, default: null },
    upstream: { type: String, default: null },
    upstreamHash: { type: String, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mcp_sessions', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
schema.index({ endedAt: 1 });

export const mcpSessionModel = defineModel('McpSession', schema);

/**
 * What comes to another process than the one that waits for it: the answer of a caller to what it was asked, or the result of a tool for
 * the request in which its caller goes on.
 */
export type ReplyDocument = {
  /** Of the question, or made of the id of the call. */
  _id: string;
  organisationId: string;
  /** Sealed JSON of the message, or the text of the result. */
  sealed: string;
  expiresAt: Date;
};

const replySchema = new Schema<ReplyDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    sealed: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mcp_replies', versionKey: false, autoIndex: false, autoCreate: false },
);
replySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const mcpReplyModel = defineModel('McpReply', replySchema);

/** That a result has named a resource to a caller; `_id` is a hash of both and of the server. */
export type LinkDocument = { _id: string; organisationId: string; expiresAt: Date };

const linkSchema = new Schema<LinkDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mcp_links', versionKey: false, autoIndex: false, autoCreate: false },
);
linkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const mcpLinkModel = defineModel('McpLink', linkSchema);

/** That a verdict about a call was used, and what came of it; `_id` is that of the request for approval. */
export type VerdictDocument = {
  _id: string;
  organisationId: string;
  /** A hash of the conversation in which it counts. */
  place: string;
  /** Sealed JSON of the results; null until they are known. */
  sealed: string | null;
  expiresAt: Date;
};

const verdictSchema = new Schema<VerdictDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    place: { type: String, required: true },
    sealed: { type: String, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mcp_verdicts', versionKey: false, autoIndex: false, autoCreate: false },
);
verdictSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const mcpVerdictModel = defineModel('McpVerdict', verdictSchema);
