import { z } from 'zod';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type CheckedCall,
  type CheckFinding,
  type CheckInput,
  defineCheck,
  type Segment,
} from '../../check.ts';
import { failable } from '../common.ts';

const parameters = z.strictObject({
  prefix: z.string().min(1).max(20_000).describe('The text to put in front.'),
  applyToRole: z
    .enum(['user', 'system', 'assistant'])
    .default('user')
    .describe('Whose message gets it: the first one of the system, the last one of the others.'),
  addToExisting: z
    .boolean()
    .default(true)
    .describe('Whether a message that is there gets the prefix; otherwise it becomes a message of its own.'),
  onlyIfEmpty: z
    .boolean()
    .default(false)
    .describe('Whether to add nothing where the role has said something already.'),
  ...failable,
});

type Parameters = z.infer<typeof parameters>;

export const addPrefix = defineCheck({
  id: 'default.addPrefix',
  description: 'Puts a text in front of a message. Passes always.',
  phases: ['input'],
  parameters,
  edits: () => true,
  // It looks for nothing: texts in disguise are none of its business.
  detects: () => false,
  prepare: (wanted) => (input) => {
    const finding = prefixed(input, wanted);
    return { verdict: true, data: { applied: finding !== null }, ...finding };
  },
});

function prefixed(input: CheckInput, wanted: Parameters): Partial<CheckFinding> | null {
  const { prefix, applyToRole: role, addToExisting, onlyIfEmpty } = wanted;
  const target = targetOf(input.segments, role);
  const isBlank = target === null || target.text.trim() === '';
  if (!isBlank && onlyIfEmpty) return null;
  if (!isBlank && addToExisting) {
    const { text } = target;
    return { edits: [{ segment: target, start: 0, end: text.length, replacement: prefix + text }] };
  }
  return bodyWith(input.call, role, prefix);
}

/** The first text of the message that a prefix is for. */
function targetOf(segments: readonly Segment[], role: Parameters['applyToRole']): Segment | null {
  const own = segments.filter((segment) => roleOf(segment) === role);
  if (role === 'system') return own[0] ?? null;
  const last = own.at(-1);
  return last === undefined ? null : (own.find((segment) => isSameMessage(segment, last)) ?? null);
}

function roleOf({ role, kind }: Segment): string | null {
  if (kind === 'system') return 'system';
  if (kind !== 'text') return null;
  // A prompt has no roles: the user has written it.
  return role === 'developer' ? 'system' : (role ?? 'user');
}

/** Messages stand in a list in the body: its name and the place in it are the first two parts of a path. */
const isSameMessage = (one: Segment, other: Segment) =>
  one.path[0] === other.path[0] && one.path[1] === other.path[1];

/** The body with a message of the role; null where its format has no place for one. */
function bodyWith(
  { request, requestType }: CheckedCall,
  role: Parameters['applyToRole'],
  prefix: string,
): { body: JsonObject } | null {
  if (request === null) return null;
  const place = role === 'system' ? systemMember(request, requestType) : null;
  if (place !== null) return { body: { ...request, [place]: before(prefix, request[place]) } };
  const member = ['messages', 'input'].find((name) => Array.isArray(request[name]));
  if (member === undefined) return null;
  const messages = request[member] as readonly unknown[];
  const message = { role, content: prefix };
  const last = messages.findLastIndex((one) => isObject(one) && one.role === role);
  const at = role === 'system' ? 0 : last < 0 ? messages.length : last;
  // A message without a text is filled rather than preceded.
  const present = messages[last];
  const isEmpty = isObject(present) && (present.content === '' || present.content === null);
  const changed = isEmpty
    ? messages.with(last, { ...present, content: prefix })
    : messages.toSpliced(at, 0, message);
  return { body: { ...request, [member]: changed } };
}

/** The member for what the system says, in formats that keep it out of the messages. */
function systemMember(request: Readonly<JsonObject>, requestType: string): 'system' | 'instructions' | null {
  if (requestType === 'messages') return 'system';
  return 'instructions' in request || typeof request.input === 'string' ? 'instructions' : null;
}

function before(prefix: string, present: unknown): unknown {
  if (Array.isArray(present)) return [{ type: 'text', text: prefix }, ...present];
  return typeof present === 'string' ? `${prefix}\n\n${present}` : prefix;
}
