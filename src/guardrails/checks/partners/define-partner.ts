import { z } from 'zod';
import {
  type CheckFinding,
  type CheckInput,
  type CheckServices,
  defineCheck,
  type GuardrailCheck,
  type TextEdit,
} from '../../check.ts';
import { excerpt } from '../common.ts';
import { jsonAnswer } from '../remote/common.ts';
import {
  commonShape,
  type Partner,
  type PartnerQuestion,
  type PartnerSend,
  type PartnerVerdict,
  redactShape,
} from './partner.ts';

const TIMEOUT = 5_000;
/** Characters that a piece of a long text has in common with the next, so that no find is cut. */
const OVERLAP = 200;
/** The most pieces of one text. */
const MAX_PIECES = 50;
const MAX_REASONS = 20;

/** A check that asks a partner; every partner is asked in this way. */
export function definePartner<Shape extends z.ZodRawShape>(partner: Partner<Shape>): GuardrailCheck {
  type Own = z.infer<z.ZodObject<Shape>>;
  const { id, aliases = [], description, phases, canRedact, usualTimeout = TIMEOUT } = partner;
  const parameters = z
    .strictObject({
      ...partner.shape,
      ...(canRedact ? redactShape : {}),
      ...commonShape(usualTimeout),
    })
    .superRefine((read, context) => {
      const { oneOf = [] } = partner;
      const isGiven = (name: string) =>
        ![undefined, false].includes((read as Record<string, undefined | false>)[name]);
      if (oneOf.length === 0 || oneOf.some(isGiven)) return;
      context.addIssue({
        code: 'custom',
        path: [oneOf[0] ?? ''],
        message: `${oneOf.join(' or ')} is needed`,
      });
    });
  const redacts = (read: unknown) => (read as { redact?: boolean }).redact === true;
  return defineCheck({
    id,
    aliases,
    description,
    phases,
    isRemote: true,
    parameters: parameters as unknown as z.ZodType<Own & { timeout: number }>,
    timeoutMs: ({ timeout }) => timeout,
    edits: redacts,
    judgesPieces: partner.judgesPieces === true,
    prepare(read) {
      const isRedacting = redacts(read);
      return async (input, services) => {
        const send = sender(input, services, read.timeout);
        const questions = isRedacting ? bySegment(input, read) : together(input, read, partner.maxText);
        const asked = await Promise.all(questions.map((question) => ask(partner, question, send)));
        return findingOf(questions, asked, isRedacting);
      };
    },
  });
}

const sender =
  ({ signal }: CheckInput, services: CheckServices, timeoutMs: number): PartnerSend =>
  ({ url, headers, body }) =>
    services.send({ url, method: 'POST', headers, body, timeoutMs, signal });

async function ask<Shape extends z.ZodRawShape>(
  partner: Partner<Shape>,
  question: PartnerQuestion<z.infer<z.ZodObject<Shape>>>,
  send: PartnerSend,
): Promise<PartnerVerdict> {
  const request = partner.request(question);
  if (request === null) return { passes: true, reasons: [] };
  const headers = { 'content-type': 'application/json', ...request.headers };
  const more = await partner.authorize?.({ ...request, headers }, question.parameters, send);
  const answer = await send({
    url: request.url,
    headers: { ...headers, ...more },
    body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
  });
  return partner.verdict(jsonAnswer('The service', answer), question);
}

function bySegment<Own>(input: CheckInput, parameters: Own): PartnerQuestion<Own>[] {
  const worded = input.segments.filter(({ text }) => text.trim() !== '');
  return worded.map((segment) => ({ text: segment.text, segment, input, parameters }));
}

function together<Own>(input: CheckInput, parameters: Own, maxText = Number.POSITIVE_INFINITY) {
  const questions: PartnerQuestion<Own>[] = [];
  const { text } = input;
  if (text.trim() === '') return questions;
  for (let at = 0; ; at += maxText - OVERLAP) {
    questions.push({ text: text.slice(at, at + maxText).toWellFormed(), segment: null, input, parameters });
    if (at + maxText >= text.length) return questions;
    if (questions.length >= MAX_PIECES) throw new Error('The text is too long for the service.');
  }
}

function findingOf(
  questions: readonly PartnerQuestion<unknown>[],
  verdicts: readonly PartnerVerdict[],
  isRedacting: boolean,
): CheckFinding {
  const reasons = [...new Set(verdicts.flatMap((verdict) => verdict.reasons))];
  const data = { reasons: reasons.slice(0, MAX_REASONS).map(excerpt) };
  if (!isRedacting) return { verdict: verdicts.every(({ passes }) => passes), data };
  let verdict = true;
  const edits: TextEdit[] = [];
  for (const [index, { segment }] of questions.entries()) {
    const found = verdicts[index];
    if (segment === null || found === undefined) continue;
    const { redacted, spans = [], passes } = found;
    if (redacted !== undefined && redacted !== segment.text)
      edits.push({ segment, start: 0, end: segment.text.length, replacement: redacted });
    for (const { start, end, category } of spans)
      edits.push({ segment, start, end, replacement: { placeholder: category } });
    // What is bad and cannot be replaced stays bad.
    verdict &&= passes || redacted !== undefined || spans.length > 0;
  }
  return { verdict, data, edits };
}
