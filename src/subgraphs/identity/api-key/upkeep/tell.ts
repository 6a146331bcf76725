import { daysOfNotice, nextNotice } from '../expiry-notice.ts';
import { type ApiKeyDocument, apiKeyModel } from '../model.ts';
import { expiryMail, rotationMail } from './mails.ts';
import { expiryMessage, rotationMessage } from './messages.ts';
import type { UpkeepOptions } from './upkeep.ts';

/** Keys that are read at a time. */
const BATCH = 50;
/** Nobody changed the key. */
const unnoticed = { timestamps: false };
const BEGINNING = new Date(0);

export const newsIsDue = () => ({ 'rotationNews.at': { $gt: BEGINNING } });
export const noticeIsDue = (now: Date) => ({ nextNoticeAt: { $lte: now } });

/** Tells of rotations. What a crash keeps from being noted is written again, and whoever sends it knows it. */
export async function tellOfRotations(
  { db, mail, webhooks }: UpkeepOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const keys = await apiKeyModel(db).find(newsIsDue()).limit(BATCH).lean<ApiKeyDocument[]>();
    for (const key of keys) {
      const { _id, rotationNews: news } = key;
      if (!news) continue;
      await mail.sendAlert(rotationMail(key, news));
      await webhooks.publish(rotationMessage(key, news));
      await apiKeyModel(db).updateOne(
        { _id, 'rotationNews.at': news.at },
        { $unset: { rotationNews: 1 } },
        unnoticed,
      );
    }
    if (keys.length < BATCH) return;
  }
}

/** Tells of keys that expire soon. */
export async function tellOfExpiries(
  { db, mail, webhooks, now }: UpkeepOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const keys = await apiKeyModel(db).find(noticeIsDue(now())).limit(BATCH).lean<ApiKeyDocument[]>();
    for (const key of keys) {
      const { _id, nextNoticeAt, expiresAt } = key;
      const days = expiresAt && daysOfNotice(expiresAt, now());
      if (expiresAt && days !== null) {
        await mail.sendAlert(expiryMail(key, expiresAt, days));
        await webhooks.publish(expiryMessage(key, expiresAt, days));
      }
      await apiKeyModel(db).updateOne(
        { _id, nextNoticeAt },
        { nextNoticeAt: nextNotice(expiresAt, now()) },
        unnoticed,
      );
    }
    if (keys.length < BATCH) return;
  }
}
