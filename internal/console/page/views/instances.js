// The list of instances.
import { html, useMemo, useRef, useState } from "../ui.js";
import { get } from "../api.js";
import { useAbout } from "../about.js";
import { Button, Empty, IconButton, Resource, useRowKeys } from "../components.js";
import { useConnection } from "../connection.js";
import { useAllCounts, useCounts } from "../counts.js";
import { count, plural } from "../format.js";
import { useKeys } from "../keyboard.js";
import { and, condition, countable, filters, orders, sorted, trees } from "../listquery.js";
import { format } from "../location.js";
import { go, setQuery } from "../router.js";
import { Columns } from "./columns.js";
import { Filters, StatusFilter } from "./filters.js";
import { Rows } from "./instance-rows.js";
import { useLiveList } from "./live-list.js";
import { SelectionBar, useSelection } from "./many.js";

// Instances. Props: query (of the address): status, name, prefix, where, words,
// version, parent, schedule, queue, since, from, to, ended, ended_from, ended_to, page (a token), roots, hide (columns),
// sort (a key of orders, or - and one).
// Children stand folded under their parents; those whose parents are not on the page are shown on demand. Where roots is
// "no", children are rows.
export function Instances({ query }) {
  const list = useLiveList(query), selection = useSelection(query);
  const [columns, setColumns] = useState(false);
  const table = useRef(null);
  const search = useRef(null);
  const about = useAbout();
  const push = about?.capabilities.live === "push", within = Boolean(query.prefix || query.where || query.since || query.from || query.to);
  const free = countable(query) && (push || !within);
  const all = useAllCounts(), narrowed = useCounts(query, free && (query.name || within) ? about : null);
  const counts = free ? (query.name || within ? narrowed : all) : null;
  const state = useConnection();
  useRowKeys(table);
  useKeys({ "/": () => search.current?.focus() });
  const rows = list.data?.rows;
  const shown = rows && sorted(query.roots === "yes" ? rows.filter((r) => !r.parent) : rows, query.sort);
  const { heads, others } = !query.roots && shown ? trees(shown) : { heads: (shown ?? []).map((row) => ({ row, under: [] })), others: [] };
  // Children of instances that are elsewhere are no heads: they are shown on demand, or where nothing else is on the page.
  const [asked, ask] = useState(""), key = JSON.stringify(query), strangers = others.length > 0 && (heads.length === 0 || asked === key);
  const [open, setOpen] = useState(new Set());
  const turn = (id) => setOpen((s) => { const n = new Set(s); if (!n.delete(id)) n.add(id); return n; });
  const lines = heads.flatMap(({ row, under }) => [{ row, under }, ...(open.has(row.instance) ? under.map((u) => ({ ...u, head: row.instance })) : [])]).concat(strangers ? others.map(({ row, depth }) => ({ row, under: [], depth, head: depth > 0 ? row.parent.instance : undefined })) : []);
  // An arrow key opens or closes the tree of the row that has the focus.
  const arrow = (opens) => () => {
    const id = document.activeElement?.closest?.("[data-row]")?.dataset.instance, line = id !== undefined && lines.find((l) => l.row.instance === id);
    const head = line && (line.head ?? (line.under.length > 0 ? id : undefined));
    if (head === undefined || open.has(head) === opens) return false;
    if (line.head) [...table.current.querySelectorAll("[data-row]")].find((r) => r.dataset.instance === head)?.querySelector("[data-row-link]")?.focus();
    turn(head);
  };
  useKeys({ ArrowRight: arrow(true), ArrowLeft: arrow(false) });
  const names = [...new Set((rows ?? []).map((r) => r.name))].sort();
  return html`<div class="view-head"><h1>Instances</h1>
      <${Button} kind="quiet" onClick=${() => setColumns(true)}>Columns<//>
      <${Button} aria-pressed=${selection.on ? "true" : "false"} onClick=${selection.turn}>${selection.on ? "Stop selecting" : "Select"}<//>
      ${(query.page || state !== "live") && html`<${IconButton} icon="reload" label="Refresh" onClick=${list.reload} />`}</div>
    <${StatusFilter} query=${query} counts=${counts} />
    <${Filters} query=${query} names=${names} searchRef=${search} hidden=${rows && shown ? rows.length - shown.length : 0} />
    <${Said} shown=${shown} query=${query} />
    ${columns && html`<${Columns} query=${query} onClose=${() => setColumns(false)} />`}
    ${/* It stays while the list becomes empty: what is done with many goes on. */ selection.on && html`<${SelectionBar} selection=${selection} rows=${lines.map((l) => l.row)} query=${query} more=${list.data?.more} />`}
    <${Resource} of=${list} rows=${12} title="The list could not be read">${(data) => (shown.length === 0 && !data.more && !query.page
      ? html`<${Nothing} query=${query} all=${all} hidden=${rows.length - shown.length} />`
      : html`<div class="table-wrap" ref=${table}><${Rows} sortable rows=${lines.map((l) => l.row)} lines=${lines} open=${open} onTurn=${turn} selection=${selection} fresh=${list.fresh} query=${query} onAttribute=${(name, value) => setQuery({ where: and(query.where, condition(name, value)), page: "" })} /></div>
        ${others.length > 0 && !strangers && html`<p class="others"><${Button} kind="quiet" onClick=${() => ask(key)}>Show ${plural(others.length, "child", "children")} whose parents are not on this page<//></p>`}
        <${Pager} data=${data} list=${list} query=${query} shown=${shown.length} heads=${heads.length} others=${others.length} counts=${counts?.data?.counts} free=${free} />`)}<//>`;
}

// Said tells a screen reader what a changed query has found; live changes are
// not read out.
function Said({ shown, query }) {
  const text = useMemo(() => (!shown ? "" : shown.length === 0 ? "No instances" : plural(shown.length, "instance") + " found"), [JSON.stringify(query), shown === undefined]);
  return html`<p class="sr" role="status">${text}</p>`;
}

function Nothing({ query, all, hidden }) {
  const narrowed = filters(query).length > 0 || query.status;
  if (hidden > 0) return html`<${Empty} title="Only children match"><p><a href=${format(["instances"], { ...query, roots: "" })}>Show children</a></p><//>`;
  if (narrowed) {
    return html`<${Empty} title=${query.status && filters(query).length === 0 ? `No instance is ${query.status}` : "No matching instances"}>
      <p><a href=${format(["instances"], { hide: query.hide, sort: query.sort })}>Show all instances</a></p><//>`;
  }
  const some = Object.values(all?.data?.counts ?? {}).some((c) => c.count > 0);
  return html`<${Empty} title=${some ? "No instances here" : "No instances yet"}>
    <p>Instances appear here when they start.</p>
    <p>From code: <code>client.Start(ctx, c, orchestration, input)</code>. From a shell: <code>turnstile start NAME --input JSON</code></p><//>`;
}

// total is how many instances the list has, as far as that was counted: [number, more].
function total(counts, status) {
  const of = status ? [counts[status]] : Object.values(counts);
  return [of.reduce((n, c) => n + (c?.count ?? 0), 0), of.some((c) => c?.more)];
}

function Pager({ data, list, query, shown, heads, others, counts, free }) {
  const [busy, setBusy] = useState(false);
  const order = orders[(query.sort ?? "").replace(/^-/, "")]?.[0];
  const older = async () => {
    setBusy(true);
    try {
      // Rows came in since the token was made: one that is of the page as it
      // is now leads on without a gap.
      const asked = list.asked();
      const page = data.moved ? await get("instances", asked) : { next_page_token: data.token };
      if (page.next_page_token) go(format(["instances"], { ...query, since: "", from: asked.from, to: asked.to, ended: "", ended_from: asked.ended_from, ended_to: asked.ended_to, page: page.next_page_token }));
      window.scrollTo(0, 0);
    } catch (error) {
      list.setError(error);
    }
    setBusy(false);
  };
  return html`<div class="pager"><span class="muted grow">${counts && query.roots !== "yes" && html`<span class="total">${count(...total(counts, query.status))}</span> in total, `}${plural(shown, "instance")} on this page${heads > 0 && heads < shown && ` in ${plural(heads, "tree")}${others > 0 ? ` and ${plural(others, "child", "children")} of other instances` : ""}`}${!free && data.more && ", more not counted"}, ${order ? "sorted by " + order : "newest first"}</span>
    ${query.page && html`<${Button} icon="left" href=${format(["instances"], { ...query, page: "" })}>Newest<//>`}
    ${data.more && html`<${Button} busy=${busy} onClick=${older}>Older<//>`}</div>`;
}
