import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

export type Layout = {
  columns: number;
  /** Of the pictures on the sheet, as a part of their own size. */
  scale: number;
};

const GAP = 12;
const QUALITY = 0.72;
/** Of 255: by how much a colour differs that nobody takes for the edge of a letter, drawn a little otherwise. */
const SEEN = 24;

/** Runs in a page: a picture as a canvas. */
const decoding = `async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return canvas;
}`;

/** Runs in a page: draws pictures beside and below each other, and answers them as one in WebP. */
const drawing = `async ({ sources, columns, scale, gap, quality }) => {
  const images = await Promise.all(sources.map(${decoding}));
  const [width, height] = [images[0].width * scale, images[0].height * scale];
  const canvas = document.createElement('canvas');
  canvas.width = columns * (width + gap) + gap;
  canvas.height = Math.ceil(images.length / columns) * (height + gap) + gap;
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#7d8a90';
  context.fillRect(0, 0, canvas.width, canvas.height);
  images.forEach((image, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    context.drawImage(image, gap + column * (width + gap), gap + row * (height + gap), width, height);
  });
  return canvas.toDataURL('image/webp', quality);
}`;

/** Runs in a page: the share of the pixels of each picture on a sheet that differ visibly from another one. */
const comparing = `async ({ sources, count, columns, gap, seen }) => {
  const [one, other] = await Promise.all(sources.map(${decoding}));
  if (one.width !== other.width || one.height !== other.height) return Array(count).fill(1);
  const width = (one.width - gap) / columns - gap;
  const height = (one.height - gap) / Math.ceil(count / columns) - gap;
  return Array.from({ length: count }, (_, index) => {
    const place = [gap + (index % columns) * (width + gap), gap + Math.floor(index / columns) * (height + gap)];
    const [before, after] = [one, other].map((sheet) =>
      sheet.getContext('2d').getImageData(Math.round(place[0]), Math.round(place[1]), Math.floor(width), Math.floor(height)).data);
    let differing = 0;
    for (let pixel = 0; pixel < before.length; pixel += 4)
      if ([0, 1, 2].some((part) => Math.abs(before[pixel + part] - after[pixel + part]) > seen)) differing++;
    return differing / (before.length / 4);
  });
}`;

const addressOf = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`;

/** Screenshots of one size on one sheet, row by row, in the format that takes a tenth of what PNG takes. */
export async function drawSheet(page: Page, files: readonly string[], layout: Layout): Promise<Buffer> {
  const sources = files.map((file) => addressOf('png', readFileSync(file)));
  const given = JSON.stringify({ sources, ...layout, gap: GAP, quality: QUALITY });
  const url = (await page.evaluate(`(${drawing})(${given})`)) as string;
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

type Compared = { sheets: readonly [Buffer, Buffer]; count: number; layout: Layout };

/** The share of 1 of its pixels in which each of the pictures on two sheets differs. */
export async function compareSheets(
  page: Page,
  { sheets, count, layout }: Compared,
): Promise<readonly number[]> {
  const sources = sheets.map((sheet) => addressOf('webp', sheet));
  const given = JSON.stringify({ sources, count, columns: layout.columns, gap: GAP, seen: SEEN });
  return (await page.evaluate(`(${comparing})(${given})`)) as number[];
}
