import { objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { messagesOf } from '../partner.ts';
import { apiKey, baseUrl, pathSegment, trimmed } from '../shapes.ts';

export const aporia = definePartner({
  id: 'aporia.validateProject',
  description: 'Passes when the policies of an Aporia project let the text through.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    apiEndpoint: baseUrl('https://gr-prd.aporia.com'),
    projectID: pathSegment('The project whose policies apply.'),
  },
  request: ({ text, input, parameters: { apiKey: key, apiEndpoint, projectID } }) => ({
    url: `${trimmed(apiEndpoint)}/${projectID}/validate`,
    headers: { 'x-aporia-api-key': key },
    body:
      input.phase === 'input'
        ? { messages: messagesOf(input), explain: true, validation_target: 'prompt' }
        : {
            messages: [{ role: 'user', content: input.call.requestText() }],
            explain: true,
            validation_target: 'response',
            response: text,
          },
  }),
  verdict(answer) {
    const action = textOf(objectOf(answer).action, 'action');
    return { passes: action === 'passthrough', reasons: action === 'passthrough' ? [] : [action] };
  },
});
