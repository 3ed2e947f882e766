// The numbers of a large matrix come in as few bits as their digits need; here they
// become what those of a small one are, which Plotly understands too.
const decodeBytes = Uint8Array.fromBase64
  ? (text) => Uint8Array.fromBase64(text)
  : (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const bytesOf = (data) => (data instanceof ArrayBuffer ? new Uint8Array(data) : decodeBytes(data));

const decoded = new WeakMap(); // packed numbers -> typed array: figures share matrices

export function decode(typed) {
  if (!decoded.has(typed)) {
    const bytes = bytesOf(typed.bdata);
    decoded.set(typed, typed.dtype === "f4" ? new Float32Array(bytes.buffer) : bytes);
  }
  return decoded.get(typed);
}

// Entries follow one another without a gap, whatever bytes they share.
function unpack({ bits, least, step, bdata, shape }) {
  const bytes = decodeBytes(bdata);
  const [rows, columns] = shape.split(",").map(Number);
  const values = new Float32Array(rows * columns);
  let held = 0;
  let width = 0; // of what is held, in bits: never more than 31
  let next = 0;
  for (let at = 0; at < values.length; at++) {
    for (; width < bits; width += 8) held = (held << 8) | bytes[next++];
    width -= bits;
    values[at] = (least + (held >> width)) * step;
    held &= (1 << width) - 1;
  }
  return { dtype: "f4", bdata: values.buffer, shape };
}

export const unpacked = (numbers) =>
  numbers?.z && "bits" in numbers.z ? { ...numbers, z: unpack(numbers.z) } : numbers;
