import { Schema } from 'mongoose';
import { defineModel } from '../storage/model.ts';
import { type Outgoing, outgoingFields } from '../storage/outgoing.ts';

/** What a mail is about. */
export const mailKinds = [
  'api_key_rotated',
  'api_key_expiring',
  'invite',
  'limit_threshold',
  'limit_exhausted',
  'limit_reset',
  'limit_overshoot',
  'limit_abandoned',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** One mail to one address; `kept`: there was no mail server when it was written, so it is only here. */
export type MailDocument = Outgoing & {
  organisationId: string;
  /** Null where the event belongs to no workspace. */
  workspaceId: string | null;
  /** The event and the address; whatever writes it again meets the index. */
  event: string;
  kind: MailKind;
  to: string;
  subject: string;
  /** Without secrets: `secretPlace` stands where one belongs. */
  text: string;
  /** `Secrets.encrypt` of the secret that the text leaves out; gone once the mail is sent or given up. */
  sealed: string | null;
  createdAt: Date;
  /** Then the store removes it. */
  expiresAt: Date;
};

const schema = new Schema<MailDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    event: { type: String, required: true },
    kind: { type: String, required: true },
    to: { type: String, required: true },
    subject: { type: String, required: true },
    text: { type: String, required: true },
    sealed: { type: String, default: null },
    ...outgoingFields,
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'outbox', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ event: 1 }, { unique: true });
schema.index({ status: 1, nextAttemptAt: 1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const mailModel = defineModel('Mail', schema);
