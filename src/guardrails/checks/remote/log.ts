import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable } from '../common.ts';
import { callReport } from './call-report.ts';
import { headersParameter, requireSuccess, timeoutParameter, urlParameter } from './common.ts';

const parameters = z.strictObject({
  logURL: urlParameter.describe('Where the call is sent, as JSON by POST.'),
  headers: headersParameter.describe('Headers of that request.'),
  timeout: timeoutParameter(3_000),
  ...failable,
});

export const log = defineCheck({
  id: 'default.log',
  description: 'Sends the call to a service of yours. Passes.',
  phases: ['output'],
  isRemote: true,
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  prepare:
    ({ logURL: url, headers, timeout: timeoutMs }) =>
    async (input, services) => {
      const body = callReport(input);
      const { status } = await services.send({
        url,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        timeoutMs,
        signal: input.signal,
      });
      requireSuccess('The log', status);
      return { verdict: true, data: { status } };
    },
});
