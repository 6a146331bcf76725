import { describe, expect, it, test } from '@jest/globals';
import { problemsOf, run } from '../checked.ts';

const LANGUAGE = 'gateway.language';
const GIBBERISH = 'gateway.gibberish';

const sentences: Readonly<Record<string, string>> = {
  eng_Latn: 'Where can I find the opening hours of the library?',
  deu_Latn: 'Wo finde ich die Öffnungszeiten der Bibliothek?',
  fra_Latn: 'Où puis-je trouver les horaires de la bibliothèque ?',
  spa_Latn: '¿Dónde puedo encontrar el horario de la biblioteca?',
  ita_Latn: 'Dove posso trovare gli orari della biblioteca?',
  pol_Latn: 'Gdzie mogę znaleźć godziny otwarcia biblioteki?',
  rus_Cyrl: 'Где можно найти часы работы библиотеки?',
  jpn_Jpan: '図書館の開館時間はどこで確認できますか。',
  zho_Hans: '在哪里可以找到图书馆的开放时间？',
  tur_Latn: 'Kütüphanenin çalışma saatlerini nerede bulabilirim?',
};

describe(LANGUAGE, () => {
  test.each(Object.entries(sentences))('knows %s', async (code, text) => {
    expect((await run(LANGUAGE, { language: code }, { text })).verdict).toBe(true);
    expect((await run(LANGUAGE, { language: code, not: true }, { text })).verdict).toBe(false);
    const others = Object.keys(sentences).filter((other) => other !== code);
    expect((await run(LANGUAGE, { language: others }, { text })).verdict).toBe(false);
  });

  it('fails with an error where there are no words', async () => {
    await expect(run(LANGUAGE, { language: 'eng_Latn' }, { text: '12 345' })).rejects.toThrow(
      'too few words',
    );
  });

  test.each<[object, RegExp]>([
    [{}, /^language: /],
    [{ language: 'english' }, /^language: /],
    [{ language: [] }, /^language: /],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(LANGUAGE, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});

describe(GIBBERISH, () => {
  test.each(Object.values(sentences))('passes %s', async (text) => {
    expect((await run(GIBBERISH, {}, { text })).verdict).toBe(true);
  });

  test.each([
    'asdkjh qwlekj zxcmnb qpwoei alskdj zmxncb',
    'xkcd qzrt plmk wvbn ghjk tyui fghj',
    'fjdksl ajfkdls jfkdlsa fjdksla jfkdls',
    'qwrtplkjh mnbvcxz lkjhgfd poiuytr ewqasdf',
  ])('fails on %s', async (text) => {
    expect((await run(GIBBERISH, {}, { text })).verdict).toBe(false);
    expect((await run(GIBBERISH, { not: true }, { text })).verdict).toBe(true);
  });

  it('passes a text that has hardly any letters', async () => {
    expect((await run(GIBBERISH, {}, { text: '12 345 6789 ok' })).verdict).toBe(true);
    expect((await run(GIBBERISH, {}, {})).verdict).toBe(true);
  });

  it('refuses what it does not know', () => {
    expect(problemsOf(GIBBERISH, { not: 1 })).toEqual([expect.stringMatching(/^not: /)]);
  });
});
