import { booleanOf, objectOf, trueKeys } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { messagesOf } from '../partner.ts';
import { apiKey, name } from '../shapes.ts';

export const lasso = definePartner({
  id: 'lasso.classify',
  description: 'Passes when Lasso Security detects no violation.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    conversationId: name('The conversation, as reports name it.').optional(),
    userId: name('The user, as reports name it.').optional(),
  },
  request: ({ input, parameters: { apiKey: key, conversationId, userId } }) => ({
    url: 'https://server.lasso.security/gateway/v2/classify',
    headers: {
      'lasso-api-key': key,
      ...(conversationId !== undefined && { 'lasso-conversation-id': conversationId }),
      ...(userId !== undefined && { 'lasso-user-id': userId }),
    },
    body: { messages: messagesOf(input) },
  }),
  verdict(answer) {
    const { violations_detected, deputies } = objectOf(answer);
    return { passes: !booleanOf(violations_detected, 'verdict'), reasons: trueKeys(deputies) };
  },
});
