import { LRUCache } from 'lru-cache';
import { serve } from '../../lib/threads/serve.ts';
import type { CheckedCall, CheckServices, PreparedCheck } from '../check.ts';
import { checkOf } from '../checks/index.ts';
import { lazyViews, locally } from '../engine/locally.ts';
import type { CheckCalls, FarEdit, WrittenCheck } from './messages.ts';

const prepared = new LRUCache<string, PreparedCheck>({ max: 500 });

function checkFor({ id, parameters }: WrittenCheck): PreparedCheck {
  const name = JSON.stringify([id, parameters]);
  let check = prepared.get(name);
  if (!check) {
    const made = checkOf(id)?.prepare(parameters);
    if (made === undefined || 'problems' in made) throw new Error(`The check ${id} cannot be prepared.`);
    check = made;
    prepared.set(name, check);
  }
  return check;
}

const refused = () => Promise.reject(new Error('A check of texts alone asks nobody.'));
const services: CheckServices = { send: refused, resolves: refused, callModel: refused };

/** Only checks that look at texts alone come here. */
const noCall = new Proxy({} as CheckedCall, {
  get() {
    throw new Error('A check of texts alone knows nothing of the call.');
  },
});

/** The life of a thread that checks long texts. */
serve<CheckCalls>({
  prepare(check) {
    checkFor(check);
    return null;
  },
  async examine({ phase, segments, ...check }) {
    const running = { signal: new AbortController().signal };
    const about = { phase, segments, call: noCall, running, views: lazyViews(segments) };
    const { finding, edits } = await locally(checkFor(check), about, services);
    const { edits: _inViews, ...rest } = finding;
    return {
      finding: rest,
      edits: edits.map(
        ({ segment, ...edit }): FarEdit => ({
          ...edit,
          segment: (segments as readonly unknown[]).indexOf(segment),
        }),
      ),
    };
  },
});
