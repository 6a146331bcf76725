/** The instructions that kernels are written in, as WebAssembly encodes them. */
const instructions: Record<string, number[]> = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  br_if: [0x0d],
  'local.get': [0x20],
  'local.set': [0x21],
  'local.tee': [0x22],
  'i32.const': [0x41],
  'i32.eqz': [0x45],
  'i32.lt_u': [0x49],
  'i32.add': [0x6a],
  'i32.sub': [0x6b],
  'i32.store': [0x36, 0x02, 0x00],
  'v128.load': [0xfd, 0x00, 0x00, 0x00],
  'i32x4.splat': [0xfd, 0x11],
  'i32x4.extract_lane': [0xfd, 0x1b],
  'i32x4.add': [0xfd, 0xae, 0x01],
  'i32x4.dot_i16x8_s': [0xfd, 0xba, 0x01],
  'i16x8.extend_low_i8x16_s': [0xfd, 0x87, 0x01],
  'i16x8.extend_high_i8x16_s': [0xfd, 0x88, 0x01],
};

const types = { i32: 0x7f, v128: 0x7b } as const;

export type KernelSource = {
  /** The name under which the function is exported; it answers nothing. */
  name: string;
  parameters: Record<string, keyof typeof types>;
  locals: Record<string, keyof typeof types>;
  /** One instruction a line, with its number or the name of its local; `;` begins a comment. */
  body: string;
};

/** A module of one function over a memory that it imports as `kernel.memory`. */
export function assemble({ name, parameters, locals, body }: KernelSource): Uint8Array<ArrayBuffer> {
  const places = new Map(
    [...Object.keys(parameters), ...Object.keys(locals)].map((local, at) => [local, at]),
  );
  const code = body.split('\n').flatMap((line) => encoded(line, places));
  const declared = Object.values(locals).map((type) => [1, types[type]]);
  const locally = [declared.length, ...declared.flat(), ...code, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [0x60, ...list(Object.values(parameters).map((type) => [types[type]])), 0]),
    ...section(2, [...text('kernel'), ...text('memory'), 0x02, 0x00, 0x01]),
    ...section(3, [0]),
    ...section(7, [...text(name), 0x00, 0x00]),
    ...section(10, [...whole(locally.length), ...locally]),
  ]);
}

function encoded(line: string, places: ReadonlyMap<string, number>): number[] {
  const [instruction, operand] = line.replace(/;.*/, '').trim().split(/\s+/);
  if (!instruction) return [];
  const bytes = instructions[instruction];
  if (!bytes) throw new Error(`The kernel has the unknown instruction ${instruction}.`);
  if (operand === undefined) return bytes;
  const value = places.get(operand) ?? Number(operand);
  // One byte holds the places and the small numbers of kernels; 64 and more would be read as negative.
  if (!Number.isInteger(value) || value < 0 || value > 63)
    throw new Error(`${instruction} ${operand} has no place or small number.`);
  return [...bytes, value];
}

/** A section with one entry. */
const section = (id: number, entry: number[]): number[] => [id, ...whole(entry.length + 1), 1, ...entry];
const list = (entries: number[][]): number[] => [entries.length, ...entries.flat()];
const text = (value: string): number[] => list([...Buffer.from(value)].map((byte) => [byte]));

/** A length as WebAssembly writes it: seven bits a byte. */
function whole(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
