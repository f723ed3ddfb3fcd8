// Contours of a table of values, by marching squares. Squares with a value that does not exist are left out.

// Segments [[x0, y0], [x1, y1]] in units of columns and rows. A saddle is split by the mean of its corners.
function contour_segments(values, level) {
  const segments = [];
  for (let i = 0; i + 1 < values.length; ++i) {
    for (let k = 0; k + 1 < values[i].length; ++k) {
      const corners = [[k, i], [k + 1, i], [k + 1, i + 1], [k, i + 1]];
      const heights = corners.map(([x, y]) => values[y][x]);
      if (!heights.every(is_number)) continue;
      const crossings = [];
      for (let side = 0; side < 4; ++side) {
        const next = (side + 1) % 4, [a, b] = [heights[side], heights[next]];
        if ((a >= level) === (b >= level)) continue;
        const share = (level - a) / (b - a);
        crossings.push([0, 1].map((axis) => corners[side][axis] + share * (corners[next][axis] - corners[side][axis])));
      }
      if (crossings.length === 2) segments.push(crossings);
      if (crossings.length === 4) {
        const middle = d3.sum(heights) / 4;
        const around_first = (middle >= level) !== (heights[0] >= level);
        const pairs = around_first ? [[3, 0], [1, 2]] : [[0, 1], [2, 3]];
        for (const [a, b] of pairs) segments.push([crossings[a], crossings[b]]);
      }
    }
  }
  return segments;
}

// Round levels inside the range of the values.
function contour_levels(values, most = 6) {
  const [low, high] = d3.extent(values.flat().filter(is_number));
  if (!(high > low)) return [];
  return d3.scaleLinear().domain([low, high]).ticks(most).filter((level) => level > low && level < high);
}
