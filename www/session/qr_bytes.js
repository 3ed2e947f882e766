// The bytes of a QR code, made here: ISO/IEC 18004, byte mode, every version, level M
// where it fits and L where only that does.

const LARGEST = 40; // versions there are

// By version, from 1: check bytes in a block, and blocks in a code (table 9).
const LEVELS = [
  {
    bits: 0b00, // M, restores about 15 %
    checks: [
      10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28,
      28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ],
    blocks: [
      1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25,
      26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ],
  },
  {
    bits: 0b01, // L, restores about 7 %
    checks: [
      7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
      26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    blocks: [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14,
      15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ],
  },
];

// ---- sizes ----------------------------------------------------------------------

const sizeOf = (version) => 17 + 4 * version;

// Rows, and columns, on whose crossings alignment patterns are centred (table E.1).
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = version === 32 ? 26 : 2 * Math.ceil((last - 6) / (2 * (count - 1)));
  const rest = Array.from({ length: count - 1 }, (_, k) => last - k * step);
  return [6, ...rest.reverse()];
}

// Bytes that fit beside finders, timing, format, alignment and version.
function capacity(version) {
  const size = sizeOf(version);
  const sides = alignments(version).length;
  const aligned = sides ? 25 * (sides ** 2 - 3) - 10 * (sides - 2) : 0;
  const fixed = 3 * 64 + 2 * (size - 16) + 31 + aligned + (version >= 7 ? 36 : 0);
  return Math.floor((size ** 2 - fixed) / 8);
}

// The smallest code that holds so many bytes, at the stronger level if any can.
function choose(length) {
  for (const level of LEVELS) {
    for (let version = 1; version <= LARGEST; version++) {
      const blocks = level.blocks[version - 1];
      const checks = level.checks[version - 1];
      const room = capacity(version) - blocks * checks;
      const counter = version < 10 ? 8 : 16;
      if (4 + counter + 8 * length > 8 * room) continue;
      return { version, level, blocks, checks, room, counter };
    }
  }
  return null;
}

// ---- bytes ----------------------------------------------------------------------

// Mode, length and text as bytes, and what fills the room that is left.
function dataBytes(bytes, { room, counter }) {
  const bits = [];
  const put = (value, count) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >> at) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, counter);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, 8 * room - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < 8 * room; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Uint8Array.from({ length: room }, (_, k) =>
    bits.slice(8 * k, 8 * k + 8).reduce((byte, bit) => 2 * byte + bit, 0)
  );
}

// Powers of 2 in the field of 256 elements, modulo x⁸ + x⁴ + x³ + x² + 1.
const POWERS = new Uint8Array(255);
const LOGS = new Uint8Array(256);
for (let k = 0, power = 1; k < 255; k++) {
  POWERS[k] = power;
  LOGS[power] = k;
  power = (power << 1) ^ (power & 0x80 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? POWERS[(LOGS[a] + LOGS[b]) % 255] : 0);

// Coefficients, without the leading 1, of (x − 2⁰)(x − 2¹)…
function generator(degree) {
  let factors = [1];
  for (let k = 0; k < degree; k++) {
    factors = [...factors, 0].map((a, at) => a ^ times(POWERS[k], factors[at - 1] || 0));
  }
  return factors.slice(1);
}

// What remains of the data after division: the check bytes of Reed and Solomon.
function remainder(data, divisor) {
  const rest = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((a, at) => {
      rest[at] ^= times(a, factor);
    });
  }
  return rest;
}

// Blocks one byte each in turn: all data, then all checks. Later blocks may be longer.
function interleave(data, { blocks, checks, room }) {
  const divisor = generator(checks);
  const short = Math.floor(room / blocks);
  const firstLong = blocks - (room % blocks);
  const parts = [];
  for (let b = 0, at = 0; b < blocks; b++) {
    const length = short + (b >= firstLong);
    parts.push(data.subarray(at, at + length));
    at += length;
  }
  const inTurn = (columns) =>
    Array.from({ length: Math.max(...columns.map((column) => column.length)) }, (_, k) =>
      columns.filter((column) => k < column.length).map((column) => column[k])
    ).flat();
  return [...inTurn(parts), ...inTurn(parts.map((part) => remainder(part, divisor)))];
}

// { version, size, centres, levelBits, bytes }; null for a text that is too long.
export function qrBytes(text) {
  const bytes = new TextEncoder().encode(text);
  const choice = choose(bytes.length);
  if (!choice) return null;
  const { version, level } = choice;
  return {
    version,
    size: sizeOf(version),
    centres: alignments(version),
    levelBits: level.bits,
    bytes: interleave(dataBytes(bytes, choice), choice),
  };
}
