// A derivation in type: its terms with the running sum, and the steps after them.
import { word } from "../shell/words.js";

const JOINTS = { maximum: ", " };
const WRAPPED = {
  exp: "exp",
  tanh: "tanh",
  sine: "sin",
  cosine: "cos",
  root: "√",
  relu: "ReLU",
  gelu: "GELU",
  gelu_tanh: "GELU",
};

export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== null && part !== ""));
  return made;
}

// q₄,₁ with the colour of its matrix.
export function symbol([base, sub, sup, role], index) {
  const made = element("span", `symbol-cell role-${role}`, element("i", "", base));
  if (sup) made.append(element("sup", "", sup));
  const places = [sub, index.join(",")].filter(Boolean).join(" ");
  if (places) made.append(element("sub", "", places));
  return made;
}

// A number that stands in a matrix leads to that cell's own derivation.
function operand(part) {
  const number = element("b", `role-${part.symbol[3]}`, part.value);
  if (!part.cell) return element("span", "operand", number);
  const button = element("button", "operand", number);
  button.type = "button";
  button.dataset.cell = JSON.stringify(part.cell);
  button.title = word("inspector.follow");
  return button;
}

// What follows a sign is bracketed when it has a sign of its own.
const bracketed = (part, { value }) =>
  value.startsWith("−") ? element("span", "", "(", part, ")") : part;

function term(parts, operation) {
  const product = element("span", "term-work");
  const names = element("small", "");
  parts.operands.forEach((part, at) => {
    const joint = operation === "sum_of_squares" ? " − " : " · ";
    if (at) {
      product.append(joint);
      names.append(joint);
    }
    product.append(at ? bracketed(operand(part), part) : operand(part));
    names.append(symbol(part.symbol, part.index));
  });
  if (operation === "sum_of_squares") {
    product.prepend("(");
    product.append(")²");
  }
  const made = element("span", `term${parts.hidden ? " is-hidden" : ""}`, product, names);
  if (operation === "sum_of_products" || operation === "sum_of_squares") {
    names.append(` = ${parts.value}`);
  }
  made.title = word("inspector.running", { value: parts.running });
  return made;
}

function terms({ terms: shown, folded, operation }) {
  const joint = JOINTS[operation] || " + ";
  const made = element("span", "terms");
  if (operation === "maximum") made.append(element("span", "function", "max("));
  const pieces = shown.map((parts) => term(parts, operation));
  if (folded) {
    const more = element("button", "more", word("inspector.more", folded));
    more.type = "button";
    more.dataset.unfold = "";
    pieces.splice(folded.at, 0, more);
  }
  pieces.forEach((piece, at) => {
    if (at) made.append(element("span", "joint", joint));
    made.append(piece);
  });
  if (operation === "maximum") made.append(element("span", "function", ")"));
  return made;
}

function step(part) {
  const made = element("span", "step");
  const { operator, operands } = part;
  if (WRAPPED[operator]) {
    made.append(element("span", "function", `→ ${WRAPPED[operator]}`));
  } else if (operator === "divide_by_root") {
    made.append("÷ √(", operand(operands[0]), " + ", operand(operands[1]), ")");
  } else if (operator === "divide_by_power") {
    const [base, exponent, width] = operands;
    made.append("÷ ", operand(base), element("sup", "", `${exponent.value}/${width.value}`));
  } else if (operator === "reciprocal_root") {
    made.append("→ 1/√");
  } else if (operator === "root") {
    made.append("→ √");
  } else if (operator === "soft_cap") {
    made.append("→ ", operand(operands[0]), "·tanh(s/", operand(operands[0]), ")");
  } else if (operator === "round") {
    made.append(word("inspector.rounding"));
  } else {
    made.append(`${part.sign} `, part.label || bracketed(operand(operands[0]), operands[0]));
    if (!part.label) {
      made.append(element("small", "", symbol(operands[0].symbol, operands[0].index)));
    }
  }
  return made;
}

// The value before the last step, and the step: all that fits one line.
function lastStep({ terms: shown, total, steps }) {
  const made = document.createDocumentFragment();
  const value = steps.length > 1 ? steps.at(-2).value : total;
  // One number of a matrix is told as such, a sum by what it came to.
  const isPlain = steps.length === 1 && shown.length === 1 && shown[0].operands.length === 1;
  made.append(isPlain ? operand(shown[0].operands[0]) : element("b", "subtotal", value));
  made.append(step(steps.at(-1)), element("span", "joint", "="));
  made.append(element("b", "subtotal", steps.at(-1).value));
  return made;
}

// A derivation in one line: whole if it has no steps after its terms, else the last one.
export function brief(words) {
  const { operation, steps } = words;
  const isWhole = !steps.length || operation === "given" || operation === "hidden";
  return isWhole ? work(words) : lastStep(words);
}

const note = (text) => element("span", "inspector-note", text);

export function work(words) {
  const made = document.createDocumentFragment();
  const { operation } = words;
  if (operation === "given") {
    made.append(note(words.note || word("inspector.given")));
    return made;
  }
  if (operation === "hidden") {
    made.append(terms(words), note(`${words.note} ${word("inspector.hidden")}`));
    return made;
  }
  const isSum = words.terms.length > 1;
  if (isSum && words.steps.length && operation !== "maximum") {
    made.append(element("span", "bracket", "("), terms(words));
    made.append(element("span", "bracket", ")"));
  } else {
    made.append(terms(words));
  }
  let value = words.total;
  if (isSum || operation === "sum_of_products") {
    made.append(element("span", "joint", "="), element("b", "subtotal", value));
  }
  for (const part of words.steps) {
    made.append(step(part));
    value = part.value;
    made.append(element("span", "joint", "="), element("b", "subtotal", value));
  }
  return made;
}
