// What stands in the place of a number: `view.covered` has one of these a cell.
export const PREDICTED = 1; // a sign that asks for it
export const BLANK = 2; // nothing yet
