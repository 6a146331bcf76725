import { performance } from 'node:perf_hooks';
import type { GatewayError } from '../../errors/index.ts';
import type { CacheStatus } from '../../recording/log/record.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Lookup } from '../cache/index.ts';
import type { Call } from '../call/call.ts';
import type { OwnAnswer } from '../guardrails/denial.ts';
import type { LegGuardrails } from '../guardrails/leg-guardrails.ts';
import type { LegLimits } from '../limits/leg-limits.ts';
import type { Adapter, Asked } from '../request/adapter.ts';
import type { OutgoingBody } from '../request/body.ts';
import type { Send, UpstreamRequest } from '../send/upstream.ts';
import type { WireTap } from '../send/wire-tap.ts';
import type { Target } from '../target/target.ts';

/** The turn of a call at one target, all retries included. */
export class Leg {
  readonly call: Call;
  /** The target as the config has it. */
  readonly leaf: Leaf;
  /** Whether the caller gets an answer with this status; if not, another target is tried. */
  accept: (status: number) => boolean;
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now();

  // Filled in by the steps, in the order of `pipeline.ts`: each step may rely on what those before it have set.

  /** By `chooseTarget`. */
  target!: Target;

  /** By `readySecrets`: why there is no request to make; null when there is one. */
  refused: unknown = null;

  /** By `findLimits`; null where the leg comes under none. */
  limits: LegLimits | null = null;
  /** What the target's own limit said in the place of the target, the last time that it was asked; null where nothing. */
  refusal: GatewayError | null = null;

  /** By `guardInput`; null where the leg comes under none. */
  guards: LegGuardrails | null = null;
  /** What answers in the place of the provider, since a guardrail refuses the input; null where none does. */
  denied: OwnAnswer | null = null;

  /** By `makeRequest`: what goes to the provider, as often as retries ask for it. */
  request!: UpstreamRequest;
  /** The body of `request`, and what it says. */
  body!: OutgoingBody;
  /** The provider's endpoint; another one than the call's where the body is translated. */
  endpoint!: Asked['endpoint'];
  /** Code of this process that answers instead of the provider's address: a dialect, or a refusal; null for HTTP. */
  local: Send | null = null;
  /** The body in the caller's format, where `body` is a translation of it. */
  translated: { from: OutgoingBody; translation: Adapter['translation'] } | null = null;
  /** Where the provider's format is not the caller's, if bodies are logged. */
  tap: WireTap | null = null;

  /** By `lookInCache`; null where the cache has no part in the leg. `found`: the answer; null asks the provider. */
  cache: { status: CacheStatus; mode: 'simple' | 'semantic'; found: Lookup['found'] } | null = null;

  constructor(call: Call, leaf: Leaf, accept: (status: number) => boolean) {
    this.call = call;
    this.leaf = leaf;
    this.accept = accept;
  }
}
