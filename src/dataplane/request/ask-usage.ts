import { isObject } from '../../lib/json.ts';
import { memberOf, spliced } from '../../lib/json-text/splice.ts';
import type { Endpoint, Provider } from '../../providers/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { OutgoingBody } from './body.ts';

/** Who is asked, and what for. `limits`: null where nothing counts what the call used. */
type Asker = { body: OutgoingBody; target: { provider: Provider }; leaf: Leaf; limits: object | null };

const MEMBER = Buffer.from(',"stream_options":{"include_usage":true}');
const BRACE = 125;

/**
 * The body of a streamed completion that asks the provider for token counts where the caller did not, so that they can be
 * recorded; `hidesUsage` then says that the caller must not see them. A config that drops `stream_options` keeps them out,
 * but where a limit counts by them.
 */
export function askForUsage({ body, target, leaf, limits }: Asker, endpoint: Endpoint): OutgoingBody {
  const { provider } = target;
  const { value, content } = body;
  if (value?.stream !== true || !Buffer.isBuffer(content)) return body;
  if (endpoint !== 'chatComplete' && endpoint !== 'complete') return body;
  // Our own translations send the counts in any case.
  if (!provider.streamUsage && !provider.dialects?.[endpoint]) return body;
  const options = value.stream_options ?? null;
  if (
    (leaf.dropParams.includes('stream_options') && limits === null) ||
    !(options === null || isObject(options))
  )
    return body;
  if (options?.include_usage === true) return body;
  const asking = { ...value, stream_options: { ...options, include_usage: true } };
  return {
    ...body,
    content: 'stream_options' in value ? withOption(content, options) : withMember(content),
    value: asking,
    hidesUsage: true,
  };
}

const ASKING = new Map([['include_usage', 'true']]);

/** The same where the caller has options, which stay beside it. */
function withOption(json: Buffer, options: object | null): Buffer {
  const own = options && memberOf(json, 'stream_options');
  const asking = own ? spliced(own, ASKING).toString() : '{"include_usage":true}';
  return spliced(json, new Map([['stream_options', asking]]));
}

/** The bytes of a JSON object that has members already, with one more: parsing and writing it again would cost far more. */
function withMember(json: Buffer): Buffer {
  const end = json.lastIndexOf(BRACE);
  return Buffer.concat([json.subarray(0, end), MEMBER, json.subarray(end)]);
}

/** A chat request of the gateway's own making without what this provider refuses. */
export function withoutRefusedOptions(body: OutgoingBody, { streamUsage }: Provider): OutgoingBody {
  if (streamUsage !== false || !body.value?.stream_options) return body;
  const { stream_options: _refused, ...value } = body.value;
  return { ...body, value, content: Buffer.from(JSON.stringify(value)) };
}
