// The parts in which two texts differ. Pure.

const word = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
const most = 1500; // words compared with each other; beyond, only common ends are found

// differ cuts both texts into [same, text] parts: same parts stand in both, in
// the same order.
export function differ(a, b) {
  const x = a.match(word) ?? [], y = b.match(word) ?? [];
  let from = 0;
  while (from < x.length && from < y.length && x[from] === y[from]) from++;
  let endX = x.length, endY = y.length;
  while (endX > from && endY > from && x[endX - 1] === y[endY - 1]) endX--, endY--;
  const [mx, my] = middle(x.slice(from, endX), y.slice(from, endY));
  const put = (words, end, mid) => join([...words.slice(0, from).map((w) => [true, w]), ...mid, ...words.slice(end).map((w) => [true, w])]);
  return [put(x, endX, mx), put(y, endY, my)];
}

// middle compares by the longest common subsequence of words.
function middle(x, y) {
  const n = x.length, m = y.length;
  if (n === 0 || m === 0 || n > most || m > most) return [x.map((w) => [false, w]), y.map((w) => [false, w])];
  const length = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      length[i][j] = x[i] === y[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const mx = [], my = [];
  let i = 0, j = 0;
  while (i < n && j < m) {
    if (x[i] === y[j]) {
      mx.push([true, x[i++]]);
      my.push([true, y[j++]]);
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      mx.push([false, x[i++]]);
    } else {
      my.push([false, y[j++]]);
    }
  }
  while (i < n) mx.push([false, x[i++]]);
  while (j < m) my.push([false, y[j++]]);
  return [mx, my];
}

function join(parts) {
  const out = [];
  for (const [same, text] of parts) {
    const last = out.at(-1);
    if (last && last[0] === same) last[1] += text;
    else out.push([same, text]);
  }
  return out;
}
