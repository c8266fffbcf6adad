// Text for people: spans of time, moments, counts and sizes. Pure.

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

// span writes how long something took, in two units at most: 312ms, 4.2s, 51s,
// 3m07s, 5h20m, 12d04h. The command line writes the same.
export function span(ms) {
  if (!Number.isFinite(ms)) return "";
  if (ms < 0) return "-" + span(-ms);
  ms = Math.floor(ms);
  const two = (n) => String(n).padStart(2, "0");
  if (ms < second) return ms + "ms";
  if (ms < 10 * second) return Math.floor(ms / second) + "." + Math.floor((ms % second) / 100) + "s";
  if (ms < minute) return Math.floor(ms / second) + "s";
  if (ms < hour) return Math.floor(ms / minute) + "m" + two(Math.floor((ms % minute) / second)) + "s";
  if (ms < day) return Math.floor(ms / hour) + "h" + two(Math.floor((ms % hour) / minute)) + "m";
  return Math.floor(ms / day) + "d" + two(Math.floor((ms % day) / hour)) + "h";
}

// coarse writes a span that grows while it is looked at in its largest unit
// (51s, 3m, 5h, 12d), so that a list does not flicker. Below a second: "now".
export function coarse(ms) {
  if (!Number.isFinite(ms)) return "";
  if (ms < second) return "now";
  if (ms < minute) return Math.floor(ms / second) + "s";
  if (ms < hour) return Math.floor(ms / minute) + "m";
  if (ms < 2 * day) return Math.floor(ms / hour) + "h";
  return Math.floor(ms / day) + "d";
}

// ago writes how long before now a time was. A time ahead of now by the
// difference of two clocks is "just now"; one further ahead is "in 3m".
export function ago(at, now) {
  const ms = now - at;
  if (!Number.isFinite(ms)) return "";
  if (ms < -2 * second) return "in " + coarse(-ms);
  const text = coarse(ms);
  return text === "now" ? "just now" : text + " ago";
}

// moment writes a time in full, in the zone of the reader or in UTC:
// 2026-12-01 09:30:00.123 and its zone.
export function moment(at, utc = false) {
  const d = new Date(at);
  if (Number.isNaN(d.getTime())) return "";
  if (utc) return d.toISOString().replace("T", " ").replace("Z", " UTC");
  const p = (n, w = 2) => String(n).padStart(w, "0");
  const off = -d.getTimezoneOffset(), a = Math.abs(off);
  const zone = off === 0 ? "UTC" : "UTC" + (off < 0 ? "-" : "+") + p(Math.floor(a / 60)) + ":" + p(a % 60);
  return `${d.getFullYear()}-${p(d.getMonth() + 1)}-${p(d.getDate())} ` +
    `${p(d.getHours())}:${p(d.getMinutes())}:${p(d.getSeconds())}.${p(d.getMilliseconds(), 3)} ${zone}`;
}

// clock writes the time of day alone, in the zone of the reader or in UTC.
export function clock(at, utc = false) {
  return moment(at, utc).slice(11, 19);
}

// bytes writes a size: 312 B, 4.1 KB, 2.3 MB (of 1,024).
export function bytes(n) {
  if (!Number.isFinite(n)) return "";
  if (n < 1024) return n + " B";
  for (const unit of ["KB", "MB", "GB"]) {
    n /= 1024;
    if (n < 1024 || unit === "GB") return (n < 10 ? n.toFixed(1) : Math.round(n)) + " " + unit;
  }
}

// count writes a number with its thousands apart; more says that counting
// stopped there.
export function count(n, more = false) {
  return Number(n).toLocaleString("en") + (more ? "+" : "");
}

// plural writes "1 instance", "3 instances".
export function plural(n, one, many = one + "s") {
  return count(n) + " " + (n === 1 ? one : many);
}

// dollars writes an amount that may be very small with two digits that count.
export function dollars(n) {
  if (!Number.isFinite(n)) return "";
  if (n === 0) return "$0";
  if (n >= 0.01) return "$" + n.toFixed(2);
  const digits = Math.min(12, 1 - Math.floor(Math.log10(n)));
  return "$" + n.toFixed(digits);
}

// clip cuts a text to n characters, the last of which says so. It never cuts
// a character of two code units in half.
export function clip(text, n) {
  if (text.length <= n) return text;
  const chars = Array.from(text.slice(0, n + 1));
  return chars.slice(0, n - 1).join("") + "…";
}

// failureKind is the kind of a failure in words: an error that the code returned has none to tell.
export function failureKind(kind) { return kind === "application" ? "error" : kind ?? ""; }
