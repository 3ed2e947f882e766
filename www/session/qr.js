// A text as a QR code: the modules, by ISO/IEC 18004. Its bytes are made in qr_bytes.js.
import { qrBytes } from "./qr_bytes.js";

const MAX_RUN = 5; // modules of one colour in a row that count as trouble

const MASKS = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (i, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

// ---- modules --------------------------------------------------------------------

// Bits followed by their remainder: the code that guards format and version.
function guarded(value, length, divisor) {
  const degree = 31 - Math.clz32(divisor);
  let rest = value << degree;
  for (let at = length - 1; at >= 0; at--) {
    if (rest & (1 << (at + degree))) rest ^= divisor << at;
  }
  return (value << degree) | rest;
}

// Everything that does not depend on the text. Places of the format are kept free.
function drawFrame({ version, size, centres }) {
  const dark = new Uint8Array(size * size);
  const taken = new Uint8Array(size * size);
  const set = (i, j, on) => {
    if (i < 0 || j < 0 || i >= size || j >= size) return;
    dark[i * size + j] = on;
    taken[i * size + j] = 1;
  };
  // Square rings around a centre, light where the distance is one of `light`.
  const rings = (i, j, reach, light) => {
    for (let di = -reach; di <= reach; di++) {
      for (let dj = -reach; dj <= reach; dj++) {
        set(i + di, j + dj, !light.includes(Math.max(Math.abs(di), Math.abs(dj))));
      }
    }
  };
  for (let k = 0; k < size; k++) {
    set(6, k, k % 2 === 0);
    set(k, 6, k % 2 === 0);
  }
  const last = centres.length - 1;
  centres.forEach((i, a) =>
    centres.forEach((j, b) => {
      const isCorner = (a === 0 && b === 0) || (a === 0 && b === last) || (a === last && b === 0);
      if (!isCorner) rings(i, j, 2, [1]);
    })
  );
  rings(3, 3, 4, [2, 4]);
  rings(3, size - 4, 4, [2, 4]);
  rings(size - 4, 3, 4, [2, 4]);
  const code = { size, dark, taken, set };
  drawFormat(code, 0);
  if (version >= 7) {
    const bits = guarded(version, 6, 0x1f25);
    for (let k = 0; k < 18; k++) {
      const [along, across] = [Math.floor(k / 3), size - 11 + (k % 3)];
      set(along, across, (bits >> k) & 1);
      set(across, along, (bits >> k) & 1);
    }
  }
  return code;
}

// Level and mask, twice: around the first finder, past the timing, and shared by the
// other two.
function drawFormat({ size, set }, bits) {
  for (let k = 0; k < 15; k++) {
    const on = (bits >> k) & 1;
    if (k < 8) {
      set(k + (k > 5), 8, on);
      set(8, size - 1 - k, on);
    } else {
      set(8, 15 - k - (k > 8), on);
      set(size - 15 + k, 8, on);
    }
  }
  set(size - 8, 8, 1);
}

// Bits snake upwards and downwards through pairs of columns, from the right.
function drawBytes({ size, dark, taken }, bytes) {
  let at = 0;
  for (let pair = 0; pair < (size - 1) / 2; pair++) {
    const right = size - 1 - 2 * pair - (size - 1 - 2 * pair <= 6 ? 1 : 0);
    for (let k = 0; k < size; k++) {
      const i = pair % 2 ? k : size - 1 - k;
      for (const j of [right, right - 1]) {
        if (taken[i * size + j]) continue;
        dark[i * size + j] = (bytes[at >> 3] >> (7 - (at & 7))) & 1;
        at += 1;
      }
    }
  }
}

function invert({ size, dark, taken }, mask) {
  for (let i = 0, at = 0; i < size; i++) {
    for (let j = 0; j < size; j++, at++) {
      if (!taken[at] && mask(i, j)) dark[at] ^= 1;
    }
  }
}

// ---- choosing the mask ------------------------------------------------------------

// Long runs in one row or column, and what looks like the row of a finder.
function lineTroubles(line) {
  let trouble = 0;
  let history = 0; // the last eleven modules as bits
  for (let k = 0, run = 0; k < line.length; k++) {
    run = k && line[k] === line[k - 1] ? run + 1 : 1;
    if (run === MAX_RUN) trouble += 3;
    else if (run > MAX_RUN) trouble += 1;
    history = ((history << 1) | line[k]) & 0x7ff;
    if (k >= 10 && (history === 0b10111010000 || history === 0b00001011101)) trouble += 40;
  }
  return trouble;
}

function troubles({ size, dark }) {
  let trouble = 0;
  let count = 0;
  for (let i = 0; i < size; i++) {
    const row = dark.subarray(i * size, (i + 1) * size);
    const column = row.map((_, k) => dark[k * size + i]);
    trouble += lineTroubles(row) + lineTroubles(column);
    for (let j = 0; j < size; j++) {
      count += row[j];
      if (i + 1 === size || j + 1 === size) continue;
      const below = (i + 1) * size + j;
      const sum = row[j] + row[j + 1] + dark[below] + dark[below + 1];
      if (sum % 4 === 0) trouble += 3;
    }
  }
  const share = (100 * count) / size ** 2;
  return trouble + 10 * Math.floor(Math.abs(share - 50) / 5);
}

// { size, dark } with one byte a module, row by row; null for a text that is too long.
export function encodeQr(text) {
  const content = qrBytes(text);
  if (!content) return null;
  const code = drawFrame(content);
  drawBytes(code, content.bytes);
  const apply = (mask) => {
    invert(code, MASKS[mask]);
    drawFormat(code, guarded((content.levelBits << 3) | mask, 5, 0x537) ^ 0x5412);
  };
  const costs = MASKS.map((mask, at) => {
    apply(at);
    const cost = troubles(code);
    invert(code, mask);
    return cost;
  });
  apply(costs.indexOf(Math.min(...costs)));
  return { size: code.size, dark: code.dark };
}
