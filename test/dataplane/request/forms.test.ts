import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changedBytes, fieldChanges } from '../../../src/dataplane/forms/field-changes.ts';
import { boundaryOf, delimiterOf, type Form, fieldOf, parseForm } from '../../../src/dataplane/forms/form.ts';
import { HeadBytes } from '../../../src/dataplane/forms/head-bytes.ts';
import { LateParts } from '../../../src/dataplane/forms/late-parts.ts';
import { partHead } from '../../../src/dataplane/forms/part-head.ts';
import { readHead } from '../../../src/dataplane/forms/read-head.ts';
import { lateCheck, streamedForm } from '../../../src/dataplane/forms/streamed-form.ts';
import type { Leaf } from '../../../src/routing-config/plan.ts';

/** `[name, value]`; a Buffer is a file. */
type Field = [string, string | Buffer];

const BOUNDARY = 'b0undary';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A form as clients write it. */
function formBytes(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const isFile = Buffer.isBuffer(value);
    const file = isFile ? '; filename="a.bin"\r\ncontent-type: application/octet-stream' : '';
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** What a parser that is not ours makes of the bytes. */
async function fieldsIn(bytes: Buffer): Promise<Field[]> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': TYPE } }).formData();
  return Promise.all(
    [...form].map(
      async ([name, value]): Promise<Field> => [
        name,
        typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
      ],
    ),
  );
}

const name = fc.constantFrom('model', 'prompt', 'language', 'temperature', 'file', 'mask');
const text = fc.string({ unit: fc.constantFrom('a', 'é', '-', '"', 'b0undar', '\r\n--') });
const bytes = fc
  .array(fc.constantFrom('\r\n', '--', '\r\n--b0undar', 'x', '\0'))
  .map((pieces) => Buffer.from(pieces.join('')));
const value = fc.oneof(text, bytes);
const fields = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, minLength: 1 });

/** Byte by byte, with room for a test's time limit to strike. */
async function* drip(written: Buffer) {
  for (const [index, byte] of written.entries()) {
    if (index % 1000 === 0) await setImmediate();
    yield Buffer.from([byte]);
  }
}

const parsed = (written: Buffer): Form => parseForm(written, BOUNDARY) as Form;

describe('a form', () => {
  test('is read as other parsers read it', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (written) => {
        const whole = formBytes(written);
        const { parts } = parsed(whole);
        const read = parts.map((part): Field => {
          const slice = whole.subarray(part.valueStart, part.valueEnd ?? undefined);
          return [part.name, part.isFile ? slice : slice.toString('utf8')];
        });
        expect(read).toEqual(written);
        expect(await fieldsIn(whole)).toEqual(written);
      }),
    );
  });

  test('with changes has those, everything else byte for byte, and stays a form', async () => {
    const change = fc.tuple(name, fc.option(text));
    await fc.assert(
      fc.asyncProperty(
        fields,
        fc.uniqueArray(change, { selector: ([key]) => key }),
        async (written, changes) => {
          const whole = formBytes(written);
          const changed = changedBytes(parsed(whole), new Map(changes), whole.length);
          const set = changes.filter(([, to]) => to !== null);
          const kept = written.filter(([key]) => !changes.some(([other]) => other === key));
          expect(await fieldsIn(changed)).toEqual([...set, ...kept]);
        },
      ),
    );
  });

  test.each([
    ['nothing', ''],
    ['no delimiter', 'model=gpt'],
    ['another boundary that begins alike', '--b0undaryX\r\n\r\nx\r\n--b0undaryX--'],
    ['headers without end', `--b0undary\r\n${'x'.repeat(17_000)}`],
  ])('is not seen in %s', (_name, written) => {
    expect(parseForm(Buffer.from(written), BOUNDARY)).toBeNull();
  });

  test('with two models is refused: a provider might read the other one', () => {
    const twice = formBytes([
      ['model', 'a'],
      ['model', 'b'],
    ]);
    expect(() => parseForm(twice, BOUNDARY)).toThrow('more than one model');
  });

  test.each([
    ['name="model"', 'model'],
    ['name=model', 'model'],
    ['Name="a b"; filename="a;b.wav"', 'a b'],
    ['filename="x"; name="file"; filename*=utf-8\'\'x', 'file'],
    ['name="model";', 'model'],
    ['name=""', ''],
    ['name="a\\"b"', ''],
    ['name=" model"', ''],
    ['name="m%6fdel"', ''],
    ['name="=?utf-8?q?model?="', ''],
    ['name="x"; filename="a\\"; name="model"', ''],
    ['name="a"; filename="x"; filename="y"', ''],
    ['name="a"; size=3', ''],
    ['name="a" "b"', ''],
    ['name = "a"', ''],
    [`name="a"${' '.repeat(16_000)}x`, ''],
    [`name="a"${';'.repeat(16_000)}`, ''],
  ])('reads %j as the name %j, or not at all', (parameters, expected) => {
    const head = partHead(`\r\ncontent-disposition: form-data; ${parameters}`);
    expect(head).toMatchObject({ name: expected, isCertain: expected !== '' });
  });

  test.each([
    ['content-disposition : form-data; name="model"'],
    ['content-disposition: attachment; name="model"'],
    ['content-disposition: form-data; name="model"\ncontent-type: text/plain'],
    ['content-disposition: form-data; name="model"\r\ncontent-type: text/plain; charset=utf-16'],
    ['x-a: b'],
    [''],
  ])('does not read the headers %j', (headers) => {
    expect(partHead(`\r\n${headers}`)).toEqual({ name: '', isFile: false, isCertain: false });
  });

  test('has a boundary where its content type names one', () => {
    const types = [
      TYPE,
      'multipart/form-data; charset=utf-8; boundary="a b"',
      'multipart/form-data',
      'multipart/mixed; boundary=x',
      'multipart/form-data; x="; boundary=a"; boundary=b',
      'multipart/form-data; boundary=a; charset=utf-16',
      `multipart/form-data; boundary=a${' '.repeat(16_000)}x`,
      undefined,
    ];
    expect(types.map(boundaryOf)).toEqual([BOUNDARY, 'a b', null, null, null, null, null, null]);
  });
});

describe('a form that is too large to keep', () => {
  const whole = formBytes([
    ['model', '@slug/whisper'],
    ['language', 'de'],
    ['file', Buffer.from('\r\n--b0undar\r\n--\r\n\r\n bytes')],
    ['prompt', ''],
    ['response_format', '@json'],
  ]);
  const splits = Array.from({ length: whole.length - 1 }, (_, index) => index + 1);

  test('shows the fields before its first file, however it is cut', async () => {
    for (const at of splits) {
      const stream = Readable.from([whole.subarray(0, at), whole.subarray(at)]);
      const { form, bytes: head } = await readHead(stream, BOUNDARY);
      const known = form as Form;
      expect([fieldOf(known, 'model'), fieldOf(known, 'language')]).toEqual(['@slug/whisper', 'de']);
      const rest: Buffer[] = [];
      for await (const chunk of stream) rest.push(chunk as Buffer);
      expect(Buffer.concat([head, ...rest])).toEqual(whole);
    }
  });

  test('shows them in time that grows with its size alone, though it comes byte by byte', async () => {
    const many = Array.from({ length: 700 }, (_, index): Field => [`filename-${index}`, '']);
    const dripping = formBytes([...many, ['model', 'm'], ['file', Buffer.alloc(100_000)]]);
    const stream = Readable.from(drip(dripping));
    const { form, bytes: head, isWhole } = await readHead(stream, BOUNDARY);
    stream.destroy();
    const known = form as Form;
    expect([fieldOf(known, 'model'), known.parts.length, isWhole]).toEqual(['m', 702, false]);
    expect(head).toEqual(dripping.subarray(0, known.parts[701]?.valueStart));
  }, 8000);

  test('is read to the file that is not here whole', async () => {
    const head = new HeadBytes(BOUNDARY);
    const found: number[] = [];
    for (const [index, byte] of whole.entries()) {
      head.add(Buffer.from([byte]));
      if (head.isInFile()) found.push(index + 1);
    }
    const file = parsed(whole).parts[2];
    const end = (file?.valueEnd ?? 0) + delimiterOf(BOUNDARY).length - 1;
    expect([found[0], found.at(-1), found.length]).toEqual([
      file?.valueStart,
      end,
      end - (file?.valueStart ?? 0) + 1,
    ]);
  });

  test('passes the rest on unchanged and tells its parts, however it is cut', async () => {
    const from = parsed(whole).parts[2]?.valueStart ?? 0;
    for (const at of splits.filter((split) => split > from)) {
      const seen: string[] = [];
      const late = new LateParts(BOUNDARY, (part, first) => seen.push(`${part.name}:${first}`));
      const out: Buffer[] = [];
      late.on('data', (chunk: Buffer) => out.push(chunk));
      late.write(whole.subarray(from, at));
      late.end(whole.subarray(at));
      await new Promise((resolve) => late.once('end', resolve));
      // The first character of an empty value is that of the delimiter behind it.
      expect(seen).toEqual(['prompt:\r', 'response_format:@']);
      expect(Buffer.concat(out)).toEqual(whole.subarray(from));
    }
  });

  test.each(['\n', '\r'])(
    'has no delimiter behind a line break %j alone, however it is cut',
    async (lineBreak) => {
      const odd = Buffer.from(
        `value${lineBreak}--${BOUNDARY}\r\ncontent-disposition: form-data; name="x"\r\n\r\ny`,
      );
      for (let at = 1; at < odd.length; at++) {
        const late = new LateParts(BOUNDARY, () => undefined);
        const failed = new Promise((resolve) => late.once('error', resolve));
        late.write(odd.subarray(0, at));
        late.end(odd.subarray(at));
        late.resume();
        expect(await failed).toMatchObject({ code: 'MALFORMED_BODY' });
      }
    },
  );

  test('has its changes, or is refused, wherever what is held ends', async () => {
    const leaf = { defaultParams: null, overrideParams: null, dropParams: ['language'] } as unknown as Leaf;
    const expected = (await fieldsIn(whole)).flatMap(([key, written]): Field[] =>
      key === 'language' ? [] : [[key, key === 'model' ? 'whisper' : written]],
    );
    let succeeded = 0;
    for (const at of splits) {
      const form = parseForm(whole.subarray(0, at), BOUNDARY);
      if (!form || form.parts.length === 0) continue;
      const out: Buffer[] = [];
      try {
        const changes = fieldChanges(form, leaf, 'whisper');
        const { content, growth } = streamedForm(
          form,
          Readable.from([whole.subarray(at)]),
          changes,
          lateCheck(form, leaf, false),
        );
        for await (const chunk of content) out.push(chunk as Buffer);
        expect(Buffer.concat(out).length).toBe(whole.length + growth);
      } catch (error) {
        expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
        continue;
      }
      expect(await fieldsIn(Buffer.concat(out))).toEqual(expected);
      succeeded++;
    }
    expect(succeeded).toBeGreaterThan(50);
  });
});
