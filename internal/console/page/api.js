// Calls of the JSON API under api/v1/, relative to the page. See
// internal/console/api/openapi for the shapes.
import { parse } from "./json.js";
import { connection } from "./connection.js";
import { reading } from "./removal.js";

// ApiError is an answer that is no success, or none at all.
export class ApiError extends Error {
  // code is the API's word for what was wrong; "unreachable" if nothing
  // answered, "bad_answer" if what answered was not the API. advice, where
  // there is one, says what to do. status is the one of HTTP, 0 without an answer.
  constructor({ status = 0, code, message, advice }) {
    super(message);
    Object.assign(this, { name: "ApiError", status, code, advice });
  }
}

// path makes a path of the API from segments, each of which may hold any text:
// path("instances", id, "raise"). A segment of dots alone would be taken for a
// step up, so it gets a "~" before it, which the API takes off; and so does one
// that begins with "~".
export function path(...segments) {
  return segments.map((s) => {
    const text = encodeURIComponent(String(s).toWellFormed());
    return /^(~|\.{1,2}$)/.test(text) ? "~" + text : text;
  }).join("/");
}

// url is the address of a path with a query; empty fields are left out.
export function url(path, query = {}) {
  const u = new URL("api/v1/" + path, document.baseURI);
  u.hash = "";
  for (const [k, v] of Object.entries(query)) {
    if (v !== undefined && v !== null && v !== "") u.searchParams.set(k, String(v));
  }
  return u;
}

// get reads; options: signal. It returns the answer's JSON. What this page removes
// meanwhile is not read: the call ends as one that was aborted.
export function get(path, query, options = {}) {
  return reading(path, options.signal, (signal) => call(url(path, query), { method: "GET", signal }));
}

// post acts. The header says that a script of this page sends it: a form of
// another site can't.
export function post(path, body, options = {}) {
  return call(url(path), {
    method: "POST", signal: options.signal, body: typeof body === "string" ? body : JSON.stringify(body ?? {}),
    headers: { "Content-Type": "application/json", "Turnstile-Action": "1" },
  });
}

async function call(url, init) {
  const headers = { Accept: "application/json", ...init.headers };
  let response, text;
  try {
    response = await fetch(url, { ...init, headers, credentials: "same-origin", redirect: "error", cache: "no-store" });
    text = await response.text();
  } catch (err) {
    if (err.name === "AbortError") throw err;
    connection.lost();
    throw new ApiError({
      code: "unreachable", message: "The server does not respond.",
      advice: "Check that the program that serves this page is running. If it is behind a login, reload the page to log in again.",
    });
  }
  connection.reached();
  if (text === "" && response.ok) return null;
  let body;
  try {
    body = parse(text);
  } catch {
    throw new ApiError({
      status: response.status, code: "bad_answer",
      message: `The response is not from Turnstile's API (HTTP ${response.status}).`,
      advice: "Your login may have expired: reload the page.",
    });
  }
  if (response.ok) return body;
  const e = body?.error ?? {};
  throw new ApiError({
    status: response.status, code: e.code ?? "error", message: e.message ?? `HTTP ${response.status}`, advice: e.advice,
  });
}
