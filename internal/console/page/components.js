// The parts that views are made of. Each has its props in a comment where it
// is; in short:
//
//	Text        value, lines, max            a stranger's text, hidden characters shown
//	Id          id, href, copy, label, row, clip    an id, isolated, with its copy button
//	InstanceLink id, copy, row, clip         the Id of an instance, linked to its view
//	Copy        text | () => text, label, word      a copy button
//	External    href, children               a link to another site, marked as one
//	Moment      at                           2026-12-01 09:30:00.123 UTC+01:00
//	Ago         at                           3m ago, renewed
//	Span        from, to?                    4.2s; grows without to
//	Status      status                       shape and word
//	Chip        children, kind, title        small label
//	Attributes  of, onPick, max              search attributes as chips
//	Button      kind primary|danger|quiet, icon, busy, href, …button
//	IconButton  icon, label, …button
//	Payload     payload {bytes, value|raw|base64, folded, codec} or value; label, load, open, sealed
//	Json        value | text                 in lines and colours, drawn by steps
//	Diff        have, did, haveLabel, didLabel      two texts, what differs marked
//	Empty       title, children
//	Loading     rows, label
//	Failure     error, retry, title
//	Stale       error, retry, at             above data that could not be read again
//	Resource    of (useResource), rows, title, children(data)     the four states of reading
//	Dialog      title, onClose, children, footer, wide, class
//	FormDialog  title, onClose, children, action, kind, disabled, submit, wide
//	Field       label, hint, error, children(control props)
//	JsonField   label, hint, value, onInput, rows
//	TypedField  label, hint, value, onInput, rows, type, check, children     a JsonField of a type of the code
//	Combo       label, placeholder, options(text), inputRef, open, value    a field with suggestions
//	Tabs        of [[key, label, href, count?]], current, label
//	Facts       of [[term, value]], list     a definition list; values that are absent are left out
//	Problem     instance, bare                     why it is stuck, corrupt or failed: text, diff, stack, what to do
//	PausedQueues of                          a notice for each queue that is paused;  PausedBy  pause {by, at}
//	Awaits      instance                     a notice that it waits for another build
//	ProblemLine instance                     the same in a line
//	toast(text | {text, href, link}, "done"|"failed"), Toasts
//	useRowKeys(ref)                          j and k go through [data-row] by their [data-row-link]
//	Icon        name, size;  StatusShape  status, size
export { Text, Id, InstanceLink, Copy, External } from "./components/text.js";
export { Moment, Ago, Span } from "./components/time.js";
export { Status, Chip, Attributes, statuses } from "./components/status.js";
export { Button, IconButton } from "./components/button.js";
export { Payload, Json } from "./components/payload.js";
export { Diff } from "./components/diff.js";
export { Empty, Loading, Failure, Stale, Resource, Connection, Disconnected } from "./components/states.js";
export { Dialog, FormDialog, Field, JsonField, jsonError } from "./components/dialog.js";
export { TypedField } from "./components/typed.js";
export { Combo } from "./components/combo.js";
export { Tabs, Facts } from "./components/layout.js";
export { Awaits, Problem, ProblemLine } from "./components/problem.js";
export { PausedBy, PausedQueues } from "./components/paused.js";
export { toast, Toasts } from "./components/toast.js";
export { useRowKeys } from "./components/rows.js";
export { Icon, StatusShape, Mark } from "./icons.js";
