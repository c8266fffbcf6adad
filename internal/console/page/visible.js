// What a stranger wrote, made visible: control characters, characters that
// turn the direction of text, and those that show nothing. Pure.

// All of Unicode's control, format, private, unpaired-surrogate, line- and
// paragraph-separator characters, spaces that are not the plain one, and
// letters that are blank.
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115F\u1160\u3164\uFFA0\u034F\u180B-\u180F\uFE00-\uFE0D]/u;

const names = new Map([
  [0x00, "null"], [0x07, "bell"], [0x08, "backspace"], [0x09, "tab"], [0x0a, "line feed"], [0x0d, "carriage return"],
  [0x1b, "escape"], [0x7f, "delete"], [0xa0, "no-break space"], [0xad, "soft hyphen"], [0x61c, "arabic letter mark"],
  [0x200b, "zero width space"], [0x200c, "zero width non-joiner"], [0x200d, "zero width joiner"],
  [0x200e, "left-to-right mark"], [0x200f, "right-to-left mark"], [0x2028, "line separator"],
  [0x2029, "paragraph separator"], [0x202a, "left-to-right embedding"], [0x202b, "right-to-left embedding"],
  [0x202c, "end of direction"], [0x202d, "left-to-right override"], [0x202e, "right-to-left override"],
  [0x2060, "word joiner"], [0x2066, "left-to-right isolate"], [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"], [0x2069, "end of isolate"], [0xfeff, "byte order mark"],
]);
const short = new Map([[0x00, "\\0"], [0x09, "\\t"], [0x0a, "\\n"], [0x0d, "\\r"], [0x1b, "\\e"]]);

// mark describes one hidden character: label is shown in its place, title says
// what it is.
export function mark(char) {
  const code = char.codePointAt(0);
  const hex = "U+" + code.toString(16).toUpperCase().padStart(4, "0");
  const name = names.get(code);
  return { label: short.get(code) ?? hex, title: name ? `${hex} ${name}` : `${hex}, an invisible character` };
}

// parts cuts a text into strings that can be shown as they are and marks of
// hidden characters. With lines, line feeds and tabs are left in the strings.
// A zero width joiner between two pictures stays: it makes one picture of them.
export function parts(text, lines = false) {
  const out = [];
  let plain = "";
  if (!hidden.test(text)) return text === "" ? out : [text];
  const chars = Array.from(text);
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i];
    const shown = !hidden.test(char) || (lines && (char === "\n" || char === "\t")) ||
      (char === "\u200d" && picture.test(chars[i - 1] ?? "") && picture.test(chars[i + 1] ?? ""));
    if (shown) {
      plain += char;
      continue;
    }
    if (plain !== "") out.push(plain);
    plain = "";
    out.push(mark(char));
  }
  if (plain !== "") out.push(plain);
  return out;
}

const picture = /[\p{Extended_Pictographic}\uFE0F\u{1F3FB}-\u{1F3FF}]/u;

// plainText is a text for places that take no markup (a title, a tooltip):
// hidden characters as their labels.
export function plainText(text) {
  return parts(text).map((p) => (typeof p === "string" ? p : `[${p.label}]`)).join("");
}
