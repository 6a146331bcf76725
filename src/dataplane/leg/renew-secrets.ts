import type { Settled } from '../answer/settled.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { mayRenew, renewed, withSecrets } from '../target/mapped-credential.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

const isRefusal = (status: number): boolean => status === 401 || status === 403;

/**
 * Where the provider refuses a credential that came from a secret manager, asks for a newer one and sends the request once
 * more. The manager is asked once a second at most: in between, refusals go to the caller as they are.
 */
export const renewSecrets: LegStep = (leg, dependencies, next) =>
  leg.target.usedSecrets.length === 0 ? next(leg, dependencies) : withSecondTurn(leg, dependencies, next);

async function withSecondTurn(leg: Leg, dependencies: DataplaneDependencies, next: RunLeg): Promise<Settled> {
  const { secretMemory } = dependencies;
  const { accept } = leg;
  let isHeldBack = false;
  leg.accept = (status) => {
    // A body that is passed on as it comes cannot be sent again.
    const mayRepeat = leg.body.content === null || Buffer.isBuffer(leg.body.content);
    isHeldBack = isRefusal(status) && mayRepeat && mayRenew(leg.target, secretMemory);
    return !isHeldBack && accept(status);
  };
  const settled = await next(leg, dependencies);
  leg.accept = accept;
  if (!isHeldBack || settled.relayed) return settled;
  if (await renewed(leg.target, secretMemory)) leg.target = await withSecrets(leg.target, secretMemory);
  // Without a newer value, the refusal is asked for again: what it said was not kept.
  return next(leg, dependencies);
}
