import type { Secrets } from '../../storage/secrets.ts';
import { cookieRules, cookiesNamed } from '../cookie.ts';
import type { Flow } from './provider.ts';

/** Keeps a sign-in at the provider with the browser that began it, sealed, for ten minutes. */
export type FlowCookie = {
  /** Null without a flow that this installation has begun in this browser in the last ten minutes. */
  read(header: string | undefined, now: Date): Flow | null;
  give(flow: Flow, now: Date): string;
  take(): string;
};

/** Seconds that somebody has at the provider. */
export const FLOW_SECONDS = 600;

const OWNER = 'oidc flow';
/** Characters of the longest value that is looked at; ours are far shorter. */
const MAX_LENGTH = 4096;

export function createFlowCookie(publicUrl: string | null, secrets: Secrets): FlowCookie {
  // Lax: the provider sends the browser back by a link, and a Strict cookie would stay behind.
  const { name, rules } = cookieRules(publicUrl, {
    name: 'sluice-oidc',
    path: '/sign-in/oidc',
    sameSite: 'Lax',
  });
  return {
    read(header, now) {
      for (const sealed of cookiesNamed(name, header)) {
        const flow = open(sealed, secrets);
        if (flow && flow.until > now.getTime()) return flow;
      }
      return null;
    },
    give(flow, now) {
      const until = now.getTime() + FLOW_SECONDS * 1000;
      const sealed = secrets.encrypt(JSON.stringify({ ...flow, until }), OWNER);
      return `${name}=${sealed}; ${rules}; Max-Age=${FLOW_SECONDS}`;
    },
    take: () => `${name}=; ${rules}; Max-Age=0`,
  };
}

/** Null for a value that this installation has not sealed. */
function open(sealed: string, secrets: Secrets): (Flow & { until: number }) | null {
  if (sealed.length > MAX_LENGTH) return null;
  try {
    return JSON.parse(secrets.decrypt(sealed, OWNER)) as Flow & { until: number };
  } catch {
    // A value that does not open was changed, or comes from an installation with another key.
    return null;
  }
}
