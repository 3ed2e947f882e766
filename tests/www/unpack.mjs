// Unpack one matrix as a browser does: from a line of JSON to a list of numbers.
import { readFileSync } from "node:fs";
import process from "node:process";
import { unpacked } from "../../www/figure/compact.js";

const { z } = unpacked({ z: JSON.parse(readFileSync(0, "utf8")) });
process.stdout.write(JSON.stringify(Array.from(new Float32Array(z.bdata))));
