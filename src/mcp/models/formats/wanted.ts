import { isOwnLabel } from '../../../dataplane/own-tools/asks-own-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { approvalRule, askNobody } from './approval-rule.ts';
import { allowedTools, objectsIn, refused, type WantedServer } from './format.ts';

/**
 * Servers of the gateway among tools of the type `mcp`. `asks`: the format has a way to ask somebody before a call is made. Throws a
 * GatewayError for what is not taken.
 */
export function wantedIn({ tools }: JsonObject, prefix: string, { asks }: { asks: boolean }): WantedServer[] {
  const list = Array.isArray(tools) ? tools : [];
  return objectsIn(tools).flatMap((tool) => {
    const { type, server_label: label, allowed_tools: allowed, require_approval: approval } = tool;
    if (!isOwnLabel(label)) return [];
    const path = `tools.${list.indexOf(tool)}`;
    if (type !== 'mcp')
      throw refused(
        `${path}.type`,
        `${path}.type must be mcp where server_label names a server of the gateway.`,
      );
    const rule = approvalRule(approval, `${path}.require_approval`);
    if (!asks && rule !== askNobody)
      throw refused(
        `${path}.require_approval`,
        `${path}.require_approval must be never: only responses have a way to ask somebody.`,
      );
    const slug = label.slice(prefix.length);
    return [
      { label, slug, allowed: allowedTools(allowed, `${path}.allowed_tools`), asks: rule, canAsk: asks },
    ];
  });
}
