// A QR code of a short text (bytes, error correction M, versions 1 to 10), after ISO/IEC 18004.

const eccPerBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const blocksOf = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const totals = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];

function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    if ((b >>> i) & 1) product ^= a;
  }
  return product & 0xff;
}
function remainder(data: number[], degree: number): number[] {
  const divisor: number[] = Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) divisor[j] = multiply(divisor[j] ?? 0, root) ^ (divisor[j + 1] ?? 0);
    root = multiply(root, 2);
  }
  const rest: number[] = Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    divisor.forEach((coefficient, i) => { rest[i] = (rest[i] ?? 0) ^ multiply(coefficient, factor); });
  }
  return rest;
}

/** Rows of modules, true for dark. Throws where the text is too long. */
export function qr(text: string): boolean[][] {
  const bytes = [...new TextEncoder().encode(text)];
  const index = totals.findIndex((total, i) => bytes.length + (i >= 9 ? 3 : 2) <= total - (eccPerBlock[i] ?? 0) * (blocksOf[i] ?? 0));
  if (index < 0) throw new Error("too long for a QR code");
  const version = index + 1, blocks = blocksOf[index] ?? 1, ecc = eccPerBlock[index] ?? 10, total = totals[index] ?? 26;
  const capacity = total - ecc * blocks;

  const bits: number[] = [];
  const put = (value: number, length: number): void => { for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1); };
  put(4, 4);
  put(bytes.length, version > 9 ? 16 : 8);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data: number[] = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad);

  // Blocks: the last ones are one codeword longer where they do not fit evenly.
  const short = blocks - (total % blocks), length = Math.floor(total / blocks) - ecc;
  const parts: { data: number[]; ecc: number[] }[] = [];
  for (let i = 0, at = 0; i < blocks; i++) {
    const size = length + (i < short ? 0 : 1);
    const part = data.slice(at, at + size);
    at += size;
    parts.push({ data: part, ecc: remainder(part, ecc) });
  }
  const words: number[] = [];
  for (let i = 0; i <= length; i++) for (const part of parts) if (i < part.data.length) words.push(part.data[i] ?? 0);
  for (let i = 0; i < ecc; i++) for (const part of parts) words.push(part.ecc[i] ?? 0);

  const size = version * 4 + 17;
  const dark: boolean[][] = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const fixed: boolean[][] = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set = (x: number, y: number, on: boolean): void => {
    const row = dark[y], mark = fixed[y];
    if (row && mark && x >= 0 && x < size) { row[x] = on; mark[x] = true; }
  };
  for (let i = 0; i < size; i++) { set(6, i, i % 2 === 0); set(i, 6, i % 2 === 0); }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, distance !== 2 && distance !== 4);
    }
  }
  const alignment = version === 1 ? [] : version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7];
  alignment.forEach((cx, i) => alignment.forEach((cy, j) => {
    const corner = (i === 0 && j === 0) || (i === 0 && j === alignment.length - 1) || (i === alignment.length - 1 && j === 0);
    if (!corner) for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  // Format: level M is 0; mask 0.
  let rest = 0;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const format = rest ^ 0x5412;
  const bit = (value: number, i: number): boolean => ((value >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) set(8, i, bit(format, i));
  set(8, 7, bit(format, 6)); set(8, 8, bit(format, 7)); set(7, 8, bit(format, 8));
  for (let i = 9; i < 15; i++) set(14 - i, 8, bit(format, i));
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(format, i));
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(format, i));
  set(8, size - 8, true);
  if (version >= 7) {
    let left = version;
    for (let i = 0; i < 12; i++) left = (left << 1) ^ ((left >>> 11) * 0x1f25);
    const all = (version << 12) | left;
    for (let i = 0; i < 18; i++) {
      const a = size - 11 + (i % 3), b = Math.floor(i / 3);
      set(a, b, bit(all, i)); set(b, a, bit(all, i));
    }
  }
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let vertical = 0; vertical < size; vertical++) {
      for (let j = 0; j < 2; j++) {
        const x = right - j, upward = ((right + 1) & 2) === 0, y = upward ? size - 1 - vertical : vertical;
        const row = dark[y];
        if (!row || fixed[y]?.[x]) continue;
        const on = at < words.length * 8 && (((words[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
        row[x] = on !== ((x + y) % 2 === 0);
        at++;
      }
    }
  }
  return dark;
}
