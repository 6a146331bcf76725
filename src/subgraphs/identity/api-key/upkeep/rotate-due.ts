import { uuid } from '../../../../lib/ids.ts';
import { auditDigest } from '../../../audited-request.ts';
import { type ApiKeyDocument, apiKeyModel, type RotationPolicy } from '../model.ts';
import { replaceSecret, transitionEnd } from '../replace-secret.ts';
import { advanced } from '../rotation-policy.ts';
import type { UpkeepOptions } from './upkeep.ts';

/** Keys that are read at a time. */
const BATCH = 50;

type DueKey = ApiKeyDocument & { rotationPolicy: RotationPolicy };

export const rotationIsDue = (now: Date) => ({ 'rotationPolicy.nextRotationAt': { $lte: now } });

/** Gives every key whose policy says so a new secret. */
export async function rotateDueKeys(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await apiKeyModel(options.db)
      .find(rotationIsDue(options.now()))
      .limit(BATCH)
      .lean<DueKey[]>();
    for (const key of due) {
      if (signal.aborted) return;
      await follow(options, key);
    }
    if (due.length < BATCH) return;
  }
}

/** Each write names the moment that was due, so that whoever comes second changes nothing. */
async function follow(options: UpkeepOptions, key: DueKey): Promise<void> {
  const { db, now: clock } = options;
  const now = clock();
  const filter = { 'rotationPolicy.nextRotationAt': key.rotationPolicy.nextRotationAt };
  const reschedule = (rotationPolicy: RotationPolicy | null) =>
    apiKeyModel(db).updateOne({ _id: key._id, ...filter }, { rotationPolicy });
  if (key.expiresAt && key.expiresAt <= now) {
    // A key that is refused anyway; with another expiry it goes on at its next turn.
    await reschedule(advanced(key.rotationPolicy, now));
    return;
  }
  const end = transitionEnd(key, now);
  if (end) {
    await reschedule({ ...key.rotationPolicy, nextRotationAt: end });
    return;
  }
  const rotationPolicy = advanced(key.rotationPolicy, now);
  const replaced = await replaceSecret(options, key, {
    transitionMs: key.rotationPolicy.keyTransitionPeriodMs,
    now,
    byPolicy: true,
    also: { filter, update: { rotationPolicy } },
  });
  if (!replaced) return;
  await options.changes.publish('api_key');
  await record(options, key, replaced.key);
}

/** In the trail the key itself acts: nobody asked for it at this moment. */
async function record(options: UpkeepOptions, before: ApiKeyDocument, after: ApiKeyDocument): Promise<void> {
  const { _id, organisationId, workspaceId, name } = after;
  await options.audit.record({
    ...{ organisationId, workspaceId },
    userId: _id,
    userName: `Rotation policy of ${name}`,
    userType: 'api_key',
    resourceType: 'api_key',
    action: 'rotate',
    targetId: _id,
    targetName: name,
    beforeDigest: auditDigest(options, before),
    afterDigest: auditDigest(options, after),
    outcome: 'success',
    responseStatusCode: 200,
    method: 'POST',
    uri: '',
    requestId: uuid(),
    requestBody: '{}',
    queryParams: '',
    requestHeaders: '{}',
    clientIp: '',
    userAgent: '',
    timestamp: options.now(),
  });
}
