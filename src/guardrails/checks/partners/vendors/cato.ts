import { isObject } from '../../../../lib/json.ts';
import { listOf, objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { messagesOf } from '../partner.ts';
import { apiKey, baseUrl, name, trimmed } from '../shapes.ts';

/** The roles that the service knows. */
const roles: readonly (string | null)[] = ['system', 'user', 'assistant'];

export const cato = definePartner({
  id: 'cato',
  description:
    'Passes when Cato AI Security blocks and anonymises nothing, or when what it anonymises is redacted.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: {
    apiKey,
    apiBase: baseUrl('https://api.aisec.catonetworks.com'),
    userEmail: name('The user, as policies and reports name it.').optional(),
    keyAlias: name('The key of the gateway, as policies and reports name it.').optional(),
  },
  request({ text, segment, input, parameters: { apiKey: key, apiBase, userEmail, keyAlias } }) {
    const usual = input.phase === 'input' ? 'user' : 'assistant';
    const messages = segment === null ? messagesOf(input) : [{ role: segment.role ?? usual, content: text }];
    return {
      url: `${trimmed(apiBase)}/fw/v1/analyze`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(userEmail !== undefined && { 'x-cato-user-email': userEmail }),
        ...(keyAlias !== undefined && { 'x-cato-gateway-key-alias': keyAlias }),
      },
      // A message of a tool stands alone here, which the service refuses under that role.
      body: { messages: messages.map((one) => (roles.includes(one.role) ? one : { ...one, role: 'user' })) },
    };
  },
  verdict(answer, { segment }) {
    const { analysis_result, required_action, redacted_chat } = objectOf(answer);
    if (!isObject(required_action)) {
      objectOf(analysis_result, 'analysis');
      return { passes: true, reasons: [] };
    }
    const action = textOf(required_action.action_type, 'action');
    if (action !== 'block_action' && action !== 'anonymize_action') return { passes: true, reasons: [] };
    const { policy_name } = required_action;
    const reasons = [typeof policy_name === 'string' ? policy_name : action];
    if (action === 'block_action' || segment === null) return { passes: false, reasons };
    const messages = listOf(objectOf(redacted_chat, 'redacted chat').all_redacted_messages, 'messages');
    return { passes: false, reasons, redacted: textOf(messages.at(-1)?.content, 'redacted text') };
  },
});
