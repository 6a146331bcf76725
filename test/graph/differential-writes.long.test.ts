import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'graphql';
import { idNames, resourceOf, restDocuments, today, variablesFor } from './rest-documents.ts';
import { type Executor, type Seeded, startTwins, type Twins } from './twins.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

let twins: Twins;
beforeAll(async () => {
  twins = await startTwins();
});
afterAll(() => twins.stop());

describe('each REST document that writes', () => {
  /** Values of the variables that make a write succeed; the others run with the least that their types ask for. */
  const inputs: Record<string, object> = {
    createConfig: {
      input: { name: 'Three', config: { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }] } },
    },
    updateConfig: { input: { name: 'Third' } },
    createIntegration: { input: { name: 'Other', slug: 'other', aiProviderId: 'openai', key: 'sk-0123' } },
    updateIntegration: { input: { description: 'Changed' } },
    createProvider: { input: { name: 'Second', slug: 'second', integrationId: 'mock' } },
    updateProvider: { input: { note: 'Changed' } },
    createWorkspace: { input: { name: 'Another' } },
    updateWorkspace: { input: { description: 'Changed' } },
    updateApiKey: { input: { name: 'Renamed' } },
    insertLogs: {
      input: [{ request: { url: 'https://example.com', body: {} }, response: { status: 200, body: {} } }],
    },
    createWorkspaceServiceApiKey: { input: { name: 'New', scopes: ['configs.list'] } },
  };

  it('does the same, answers the same and leaves the same behind', async () => {
    const writes = restDocuments('mutation');
    // What is deleted is not there for the others.
    const isDelete = (label: string) => / delete/.test(label);
    const ordered = writes.toSorted((a, b) => Number(isDelete(a.label)) - Number(isDelete(b.label)));
    const succeeded = new Set<string>();
    for (const by of ['fused', 'stitched'] as const) transcripts[by] = [];
    for (const { label, document, definition } of ordered) {
      const name = definition.name?.value ?? '';
      for (const scoped of ['adminKey', 'workspaceKey'] as const) {
        for (const by of ['fused', 'stitched'] as const) {
          const twin = twins[by];
          const given = { ...idNames(twin.ids[resourceOf(label)], twin.workspaceId), ...inputs[name] };
          const answer = await twins.run(by, document, variablesFor(document, given), twin[scoped]);
          if (answer.errors.length === 0) succeeded.add(name);
          transcripts[by].push({ name, scoped, ...answer });
        }
      }
    }
    expect([...succeeded]).toEqual(expect.arrayContaining(Object.keys(inputs)));
    expect(plain(transcripts.stitched)).toEqual(plain(transcripts.fused));
    expect(plain(await everything(twins.stitched))).toEqual(plain(await everything(twins.fused)));
  });

  const transcripts: Record<Executor, object[]> = { fused: [], stitched: [] };

  /** What the tenant's administrator sees of it, audit trail included. */
  async function everything({ adminKey }: Seeded) {
    const document = parse(`query ($startTime: DateTime!, $endTime: DateTime!) {
      configs { data { name status versions { number } } }
      workspaces { data { name description } }
      integrations { data { slug description } }
      auditLogs(startTime: $startTime, endTime: $endTime, pageSize: 100) {
        records { action resourceType responseStatusCode }
      }
    }`);
    const answer = await twins.run('fused', document, today(), adminKey);
    expect(answer.errors).toEqual([]);
    return answer;
  }

  /** Ids, times and keys differ between the twins; the first of each is the first of the other. */
  function plain(value: object): unknown {
    const seen = new Map<string, string>();
    const text = JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/"(\w+_at)":\d+/g, '"$1":"<time>"')
      .replace(/\b(?:asst|thread|msg|run|step|vs|vsfb|upload|batch)_\w{20,}/g, '<id of assistants>')
      .replace(/sl-[\w*.-]+/g, '<key>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        if (!seen.has(id)) seen.set(id, `<id ${seen.size}>`);
        return seen.get(id) ?? '';
      })
      .replace(/\b(pc|ws|key|cv|int|pv)-[\w-]{4,}/g, '<slug>');
    return JSON.parse(text);
  }
});
