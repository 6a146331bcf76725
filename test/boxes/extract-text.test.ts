import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { zipSync } from 'fflate';
import { type Boxes, createBoxes, createExtractText, type ExtractText } from '../../src/boxes/index.ts';
import { boxesDirectory } from './directory.ts';
import { docx, pdf, utf16, zipBomb } from './made-documents.ts';

let boxes: Boxes;
let extractText: ExtractText;

beforeAll(() => {
  boxes = createBoxes(boxesDirectory);
  extractText = createExtractText(boxes);
});

afterAll(() => boxes.stop());

// The largest bombs end by the bounds of their boxes, of which the last is a minute.
jest.setTimeout(120_000);

const never = new AbortController().signal;

const extracted = (filename: string, content: Uint8Array) =>
  extractText(
    {
      filename,
      bytes: content.length,
      async *read() {
        for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
      },
    },
    never,
  );

const stored = (name: string) => readFileSync(join(import.meta.dirname, 'documents', name));
const bytes = (text: string) => new TextEncoder().encode(text);

describe('the text of', () => {
  it.each([
    ['letter.pdf', 'The Crazy Ones'],
    ['letter.doc', '一个用来测试nodejs解析Word文档.doccccc\nThis is a test'],
    ['letter.docx', 'Lorem ipsum'],
    ['slides.pptx', 'Group test text\nBox 1'],
    ['notes.pptx', 'Notes'],
    ['table.xlsx', 'lorem\tipsum'],
    ['page.html', 'Keeping bees'],
    ['notes.md', '*Möwen* nest on the eastern pier.'],
    ['cities.csv', '"Vila Nova, de Gaia",304149'],
    ['planet.json', '"moons": 16'],
    ['greet.py', 'return f"Hello, {name}!"'],
    ['tale.txt', 'Über allem das Licht 🔦.'],
  ])('%s is read', async (name, part) => {
    expect(await extracted(name, stored(name))).toEqual({ text: expect.stringContaining(part) });
  });

  it('a page is what it shows', async () => {
    const { text } = (await extracted('page.html', stored('page.html'))) as { text: string };
    expect(text).toContain('A hive needs morning sun & shelter – Bienenstöcke stehen gern trocken.');
    expect(text).toMatch(/June +12 kg/);
    expect(text).not.toMatch(/never shown|color: red|example\.com|A bee/);
  });

  it('a page in an older encoding is decoded by the name that the page gives', async () => {
    const page = Buffer.from('<meta charset="windows-1252"><p>Caf\xe9 \x80 5</p>', 'latin1');
    expect(await extracted('page.htm', page)).toEqual({ text: 'Café € 5' });
  });

  it('UTF-16 is decoded by its mark', async () => {
    expect(await extracted('a.txt', utf16('grüße 🌍', 'le'))).toEqual({ text: 'grüße 🌍' });
    expect(await extracted('a.txt', utf16('grüße 🌍', 'be'))).toEqual({ text: 'grüße 🌍' });
    expect(await extracted('a.txt', bytes('\uFEFFmarked'))).toEqual({ text: 'marked' });
  });

  it('a long document is whole', async () => {
    const pages = Array.from({ length: 200 }, (_, index) => `Page ${index} of the log.`);
    const { text } = (await extracted('log.PDF', pdf(pages))) as { text: string };
    expect(text.split('\n\n')).toEqual(pages);
  });

  it('six files at once is that of each', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const texts = await Promise.all(names.map((name) => extracted(`${name}.txt`, bytes(name.repeat(1000)))));
    expect(texts).toEqual(names.map((name) => ({ text: name.repeat(1000) })));
  });
});

const protectedFile = { failure: 'invalid_file', message: expect.stringMatching(/password/) };
const invalid = { failure: 'invalid_file', message: expect.stringMatching(/\.$|: /) };
const unsupported = { failure: 'unsupported_file', message: expect.any(String) };

describe('no text is read', () => {
  it.each(['password.pdf', 'password.docx', 'password.doc'])(
    'out of %s, which has a password',
    async (name) => {
      expect(await extracted(name, stored(name))).toEqual(protectedFile);
    },
  );

  it('out of pictures', async () => {
    expect(await extracted('picture.pdf', stored('picture.pdf'))).toEqual({
      failure: 'invalid_file',
      message: 'The file holds no text; text in pictures is not read.',
    });
  });

  it.each(['photo.png', 'archive.zip', 'noending', 'program.exe'])(
    'out of files such as %s',
    async (name) => {
      expect(await extracted(name, bytes('anything'))).toEqual(unsupported);
    },
  );

  it('out of bytes that are no text, whatever their name says', async () => {
    expect(await extracted('a.txt', new Uint8Array([0xc3, 0x28, 0xff]))).toEqual(unsupported);
    expect(await extracted('a.py', bytes('print(1)\0'))).toEqual(unsupported);
    expect(await extracted('a.md', stored('letter.docx'))).toEqual(unsupported);
  });

  it('out of an empty file', async () => {
    expect(await extracted('a.txt', new Uint8Array())).toEqual({
      failure: 'invalid_file',
      message: 'The file is empty.',
    });
    expect(await extracted('a.txt', bytes(' \n\t'))).toEqual(invalid);
  });

  it.each(['letter.pdf', 'letter.doc', 'letter.docx', 'slides.pptx', 'table.xlsx'])(
    'out of %s where a half of it is missing',
    async (name) => {
      const whole = stored(name);
      expect(await extracted(name, whole.subarray(0, whole.length / 2))).toEqual(invalid);
    },
  );

  it.each(['pdf', 'docx', 'doc', 'pptx', 'xlsx'])('out of a %s that is none', async (ending) => {
    expect(await extracted(`a.${ending}`, bytes('only words'))).toEqual(invalid);
    expect(await extracted(`a.${ending}`, zipSync({ 'hello.txt': bytes('words') }))).toEqual(invalid);
  });
});

describe('a file that attacks its reader', () => {
  it('and would unpack to a gigabyte is refused by its directory', async () => {
    const bomb = zipBomb('word/document.xml', 1024, 1024 * 1024 * 1024);
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);
    expect(await extracted('bomb.docx', bomb)).toEqual({
      failure: 'invalid_file',
      message: 'The file unpacks to 1024 MB of markup; at most 200 MB are read.',
    });
  });

  it.each(['docx', 'pptx', 'xlsx'])(
    'and is larger than the directory of its %s says fails by a bound',
    async (ending) => {
      const name =
        { docx: 'word/document.xml', pptx: 'ppt/presentation.xml', xlsx: 'xl/workbook.xml' }[ending] ?? '';
      expect(await extracted(`liar.${ending}`, zipBomb(name, 1024, 1000))).toEqual(invalid);
    },
  );

  it('and has more entries than any document is refused', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 20_001 }, (_, index) => [`e${index}`, new Uint8Array()]),
    );
    expect(await extracted('many.xlsx', zipSync(entries, { level: 0 }))).toEqual(invalid);
  });

  it('and multiplies entities is refused', async () => {
    const names = 'abcdefghij';
    const declarations = [...names].map(
      (name, index) => `<!ENTITY ${name} "${index === 0 ? 'ha' : `&${names[index - 1]};`.repeat(10)}">`,
    );
    const bomb = bytes(`<!DOCTYPE x [${declarations.join('')}]><x><a:t xmlns:a="a">&j;</a:t></x>`);
    for (const [ending, name] of [
      ['pptx', 'ppt/presentation.xml'],
      ['xlsx', 'xl/workbook.xml'],
      ['docx', 'word/document.xml'],
    ] as const) {
      expect(await extracted(`laughs.${ending}`, docx({ [name]: bomb }))).toEqual(invalid);
    }
  });

  it('and nests elements without end is refused', async () => {
    const nested = bytes('<div>'.repeat(50_000));
    expect(await extracted('nested.html', nested)).toEqual(invalid);
  });

  it('and has more text than is read is refused', async () => {
    expect(await extracted('huge.txt', new Uint8Array(21_000_000).fill(0x61))).toEqual({
      failure: 'invalid_file',
      message: 'The file has 21000000 characters of text; at most 20000000 are read.',
    });
  });
});

describe('reading', () => {
  it('a file that the storage does not give fails as the storage does', async () => {
    const read = async function* () {
      yield bytes('abc');
      throw new Error('The storage is away.');
    };
    await expect(extractText({ filename: 'a.txt', bytes: 9, read }, never)).rejects.toThrow(
      'The storage is away.',
    );
  });

  it('ends when nobody waits for it any more', async () => {
    const controller = new AbortController();
    const read = async function* () {
      yield bytes('abc');
      controller.abort(new Error('Enough.'));
      await new Promise(() => {});
    };
    const reading = extractText({ filename: 'a.txt', bytes: 9, read }, controller.signal);
    await expect(reading).rejects.toThrow('Enough.');
  });
});
