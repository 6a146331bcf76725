import { ObjectId } from 'mongodb';

/** A request log as the gateway keeps it, cut down to what queries look at, with text that fills it up to about 1 kB. */
export type LogDocument = {
  _id: ObjectId;
  /** Unique and in the order of time, as the gateway's own identifiers are. */
  logId: string;
  workspaceId: string;
  aiModel: string;
  createdAt: Date;
  responseStatusCode: number;
  cost: number;
  responseTime: number;
  totalTokens: number;
  /** One of ten, spread evenly; no index knows it. */
  shard: number;
  text: string;
};

const start = Date.UTC(2026, 0, 1);
const filler = 'The quick brown fox asks a model something and reads its long answer with care. '.repeat(12);

/** The identifier of the document with this number. */
export function idOf(number: number): ObjectId {
  const seconds = Math.floor(start / 1000) + Math.floor(number / 10);
  return new ObjectId(seconds.toString(16).padStart(8, '0') + number.toString(16).padStart(16, '0'));
}

/** The document with this number, the same one every time. */
export function logDocument(number: number): LogDocument {
  const scattered = Math.imul(number, 0x9e3779b1) >>> 0;
  return {
    _id: idOf(number),
    logId: `log-${(start + number * 100).toString(36)}-${number.toString(36).padStart(6, '0')}`,
    workspaceId: `workspace-${scattered % 40}`,
    aiModel: `model-${(scattered >>> 8) % 20}`,
    createdAt: new Date(start + number * 100),
    responseStatusCode: scattered % 25 === 0 ? 500 : 200,
    cost: (scattered % 10_000) / 1000,
    responseTime: 50 + (scattered % 4000),
    totalTokens: scattered % 3000,
    shard: number % 10,
    text: filler.slice(scattered % 80, 700 + (scattered % 160)),
  };
}

/** Documents with consecutive numbers. */
export function logDocuments(first: number, amount: number): LogDocument[] {
  return Array.from({ length: amount }, (_, i) => logDocument(first + i));
}
