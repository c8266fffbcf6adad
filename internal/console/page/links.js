// Addresses of other sites, made from a template. Pure.

// margin is how much before and after a link shows too: clocks differ, and a log may be late.
const margin = 60_000;

// problem says what is wrong with a template; "" for one that can be used, or none.
export function problem(template) {
  if (template === "") return "";
  if (!/^https?:\/\//i.test(template)) return "Must be an http or https URL.";
  const unknown = template.match(/\{[a-z*]*\}/gi)?.find((p) => !/^\{(instance|trace|request|from|to)\*?\}$/.test(p));
  return unknown ? `Unknown placeholder ${unknown}.` : "";
}

// traceOf is the id of the trace in the headers of W3C Trace Context; "" for none.
export function traceOf(headers) {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(headers?.traceparent ?? "")?.[1] ?? "";
}

// fill puts values into a template: {instance}, {trace}, {request}, and the times {from} and
// {to}, as addresses have them, or with a star as the addresses of CloudWatch have them. It returns "" for a template that cannot be used.
export function fill(template, { instance = "", trace = "", request = "", from, to }, now = Date.now()) {
  if (!template || problem(template) !== "") return "";
  const time = (at, by) => new Date(new Date(at ?? now).getTime() + by).toISOString();
  const values = { instance, trace, request, from: time(from, -margin), to: time(to ?? now, margin) };
  return template.replace(/\{([a-z]+)(\*?)\}/g, (_, name, star) => {
    const text = encodeURIComponent(String(values[name]).toWellFormed()).replace(/[!'()*~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
    return star ? text.replaceAll("%", "*") : text;
  });
}
