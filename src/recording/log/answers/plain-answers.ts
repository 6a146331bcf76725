import type { ExchangeDraft, KeptMessage } from '../draft.ts';
import { type CapturedAnswer, encodingOf } from './capture.ts';
import { decode } from './decode.ts';
import { messageWithoutSecrets, withoutSecrets } from './masking.ts';

/** Bytes of the longest content that is unpacked. */
const DECODED_LIMIT = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

type Answers = Pick<ExchangeDraft, 'response' | 'original'>;

/** The answers of a draft with what they say where they are compressed, and with nothing where that cannot be read. */
export async function plainAnswers({ response, original, quotable }: ExchangeDraft): Promise<Answers> {
  return {
    response: response && (await plainAnswer(response, quotable)),
    original: original && (await plainMessage(original, quotable)),
  };
}

async function plainAnswer(answer: CapturedAnswer, quotable: readonly string[]): Promise<CapturedAnswer> {
  const coding = encodingOf(answer.headers);
  if (coding === null) return answer;
  const content = await contentOf(answer.head, coding);
  const { bytes, size, isWhole } = content;
  const plain = { ...answer, head: bytes, size, tail: NOTHING, isComplete: isWhole && answer.isComplete };
  return withoutSecrets(plain, quotable);
}

async function plainMessage(message: KeptMessage, quotable: readonly string[]): Promise<KeptMessage> {
  const coding = encodingOf(message.headers);
  if (coding === null) return message;
  const body = await contentOf(message.body.bytes, coding);
  return messageWithoutSecrets({ ...message, body }, quotable);
}

async function contentOf(bytes: Buffer, coding: string) {
  // An answer may have broken off, or be longer than what is kept of it.
  const decoded = await decode(bytes, coding, { limit: DECODED_LIMIT, isPart: true });
  if (decoded === null) return { bytes: NOTHING, size: 0, isWhole: true };
  // How long the content is in all is not known then.
  const size = decoded.bytes.length + (decoded.isWhole ? 0 : 1);
  return { ...decoded, size };
}
