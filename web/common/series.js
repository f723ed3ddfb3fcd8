// Letter, colour and dash of a series. Colour never stands alone.

const kColours = 7;  // --series-0 .. of base.css
const kDashes = [null, "7 3", "2 2.5", "9 3 2 3", "4 2 1.5 2"];

const letter = (i) => String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : Math.floor(i / 26));
const colour = (i) => `var(--series-${i % kColours})`;
const dash = (i) => kDashes[i % kDashes.length];
