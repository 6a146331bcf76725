import { followRun } from '../../../src/subgraphs/assistants/run/index.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';

/** The events of a run for whoever comes later, or comes again. */
export const runEvents: HandwrittenEndpoint = {
  name: 'followRun',
  method: 'GET',
  path: '/threads/{thread_id}/runs/{run_id}/events',
  on: ['V1'],
  scope: ['completions.write', 'completions.read'],
  errors: 'INFERENCE',
  yields: true,
  query: ['starting_after'],
  describe: {
    tags: ['Run'],
    summary: 'Follow a run',
    description:
      'The events of a run as they come, until it ends or waits for outputs: from the beginning of its present turn, or behind ' +
      'the event that `starting_after` or `Last-Event-ID` names. Events are kept for an hour, of runs that were streamed; of ' +
      'others each new status is told.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The `id` of the last event that came: `<claim>.<number>`. Browsers send it.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: {
        description: 'Events as `POST /threads/{thread_id}/runs` streams them, each with an `id`.',
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            example: 'id: 1.3\nevent: thread.run.in_progress\ndata: {"id":"run_1"}\n\n',
          },
        },
      },
    },
  },
  async handle({ context, parameters, query, sendEvents }) {
    const last = context.request.headers['last-event-id'];
    const after =
      query.starting_after === undefined && last !== undefined
        ? { param: 'Last-Event-ID', id: String(last) }
        : { param: 'starting_after', id: query.starting_after };
    const place = { threadId: parameters.thread_id ?? '', id: parameters.run_id ?? '' };
    await sendEvents(await followRun(context, place, after));
  },
};
