// The view of one instance. Instance is what the shell draws.
import { html, useCallback, useEffect, useMemo, useRef, useState } from "../ui.js";
import { path, url } from "../api.js";
import { Actions } from "../actions/index.js";
import { Awaits, Button, Empty, Failure, Id, Loading, Problem, Stale, Tabs } from "../components.js";
import { format, instance as address } from "../location.js";
import { setServerTime } from "../clock.js";
import { go } from "../router.js";
import { awaited } from "../actions/row.js";
import { At, useCode } from "./code.js";
import { RowDetails } from "./details.js";
import { Ends, InstanceFacts } from "./facts.js";
import { GroupDetails } from "./groups.js";
import { Header } from "./header.js";
import { History } from "./history.js";
import { membersOf } from "./model.js";
import { apiSource, merge, read } from "./source.js";
import { Steps, usePast } from "./steps.js";
import { Timeline } from "./timeline.js";
import { Logs, useLogs } from "./logs.js";
import { Tree } from "./tree.js";
import { useInstance } from "./use-instance.js";
import { Leaf, Paused, PendingOperations, useWaiting } from "./waiting.js";

// Instance shows an instance. Props: id, rest (the segments of the address
// behind the id: a tab), query (of the address).
export function Instance({ id, rest, query }) {
  const source = useMemo(() => apiSource(id), [id]);
  const record = useInstance(id), { data: i, error, lastEvent } = record;
  const timeline = useTimeline(source, i ? [i.execution_id, lastEvent, i.status, i.updated_at].join(" ") : "");
  if (!i) {
    return html`<div class="view-head"><h1><${Id} id=${id} label="instance id" /></h1></div>${!error ? html`<${Loading} rows=${6} />` : error.code !== "not_found" ? html`<${Failure} error=${error} retry=${record.reload} title="The instance could not be read" />`
      : html`<${Empty} title="Instance not found"><p>It was never started, its start is still queued, or it was purged. If it starts, it appears here.</p><p><a href="#/instances">Show all instances</a></p><//>`}`;
  }
  const reload = () => { record.reload(); timeline.read(); };
  const { model } = timeline;
  return html`<div data-instance-view=${id} data-status=${i.status}>${error && html`<${Stale} error=${error} retry=${reload} at=${record.at} />`}
    <${View} source=${source} instance=${i} model=${model} failed=${timeline.failed} retry=${timeline.read} tab=${rest[0] ?? "timeline"} query=${query} live=${true}
      link=${(execution, event) => address(id, "history", { view: query.view ?? "", execution: model && model.executions.length > 1 ? execution : "", event: event || "" })}
      tabLink=${(tab) => address(id, ...(tab === "timeline" ? [] : [tab]))} rowLink=${(key) => address(id, { row: key, at: query.at ?? "" })} atLink=${(at) => address(id, { at })}
      exportHref=${(execution) => url(path("instances", id, "export"), { execution }).href} actions=${html`<${Actions} instance=${i} waits=${awaited(model)} onDone=${reload} />`} onDone=${reload} /></div>`;
}

// useTimeline reads the timeline of a source, and what has changed of it when
// version does. It returns { model, failed, read }.
function useTimeline(source, version) {
  const [state, set] = useState({ source, model: null, failed: null });
  const kept = useRef(null), reading = useRef(false), again = useRef(false), now = useRef(source), gone = useRef(false);
  now.current = source;
  useEffect(() => () => { gone.current = true; }, []);
  const more = useCallback(async () => {
    if (gone.current) return;
    if (reading.current) {
      again.current = true; // What changed meanwhile is read once, at the end.
      return;
    }
    reading.current = true;
    do {
      again.current = false;
      const of = now.current;
      try {
        const before = kept.current?.of === of ? kept.current.model : null;
        const answer = await of.timeline(before?.last ?? "");
        setServerTime(answer.now);
        const model = answer.since && before ? merge(before, answer) : read(answer);
        kept.current = { of, model };
        set({ source: of, model, failed: null });
      } catch (failed) {
        set((s) => ({ ...s, source: of, failed }));
      }
      if (of !== now.current) again.current = true;
    } while (again.current && !gone.current);
    reading.current = false;
  }, []);
  useEffect(() => {
    if (!version) return;
    const timer = setTimeout(more, kept.current?.of === source ? 100 : 0);
    return () => clearTimeout(timer);
  }, [source, version]);
  return { ...(state.source === source ? state : { model: null, failed: null }), read: more };
}

// View is an instance from either source. Props: source, instance, model, failed,
// retry, tab, query, live, link(execution, event), tabLink(tab), rowLink(key),
// atLink(at) how it stood after an event (left out where it cannot be asked for), exportHref, actions, onDone (an action of a row was sent), extra (what a file says
// besides).
export function View({ source, instance: i, model, failed, retry, tab, query, live = false, link, tabLink, rowLink, atLink, exportHref, actions, onDone, extra }) {
  const logged = useLogs(), past = usePast(source, atLink && tab === "timeline" ? query.at ?? "" : "");
  const running = live && ["running", "stuck", "suspended", "scheduled", "queued"].includes(i.status);
  // What it waits for may be many reads: it is asked for on the tabs that show it, and stays as it was on the others.
  const asked = useRef(null);
  if (tab === "timeline" || tab === "waiting") asked.current = model?.last ?? "";
  const waiting = useWaiting(i.instance, running && asked.current !== null, asked.current ?? "");
  const open = useMemo(() => model?.rows.filter((r) => r.state === "open").length, [model]);
  // What somebody did to an operation may leave no event, so it is looked for: at once, and when
  // it has most likely been handled.
  const acted = () => [0, 1500].forEach((ms) => setTimeout(() => { onDone?.(); waiting.reload(); }, ms));
  const [children, setChildren] = useState(() => new Map());
  const unfold = useCallback(async (id) => {
    setChildren((c) => (c.get(id)?.model ? c : new Map(c).set(id, { loading: true })));
    try {
      const found = await source.child(id);
      setChildren((c) => new Map(c).set(id, { model: found }));
    } catch (error) {
      setChildren((c) => new Map(c).set(id, { error }));
    }
  }, [source]);
  // Children that are unfolded move with their parent.
  useEffect(() => { for (const [id, c] of children) if (live && c.model?.running) unfold(id); }, [model]);
  const [picked, setPicked] = useState(null), others = useRef(new Map());
  const sourceOf = (id) => {
    if (id === source.id) return source;
    if (!others.current.has(id)) others.current.set(id, source.offline ? source.sibling(id) : apiSource(id));
    return others.current.get(id);
  };
  const select = (line) => {
    setPicked(line);
    go(rowLink(line.id), { replace: true });
  };
  const selected = query.row ?? "";
  const line = useMemo(() => {
    const of = past.at ? past.model : model;
    if (!selected || !of) return null;
    const at = of.index.get(selected);
    if (at !== undefined) return { type: "row", id: selected, row: of.rows[at], model: of };
    const group = selected.startsWith("g") && membersOf(of).get(selected.slice(1));
    if (group) return { type: "group", id: selected, group: of.groups.get(selected.slice(1)), members: group, model: of };
    return picked?.id === selected && !past.at ? picked : null;
  }, [selected, model, past.at, past.model, picked]);
  const small = (model?.events ?? 0) <= 1000;
  const code = useCode(i.instance, live && model && (past.at ? tab === "timeline" && small : running && (tab === "waiting" || tab === "timeline" && (small || line?.row?.state === "open"))), model?.last, past.at);
  const close = () => { setPicked(null); go(past.at ? rowLink("") : tabLink("timeline"), { replace: true }); };
  const tabs = [["timeline", "Timeline"], ["history", "History", model?.events], ...(live && logged ? [["logs", "Logs"]] : []), ...(live ? [["waiting", "Waiting for", running ? open : undefined], ["tree", "Tree"]] : []), ["values", "Values"], ...(extra ? [["text", "Text"]] : [])];
  const body = () => {
    if (tab === "waiting" && live) return html`<${PendingOperations} of=${waiting} code=${code} instance=${i} model=${model} link=${link} onDone=${acted} />`;
    if (tab === "logs" && live && logged) return html`<${Logs} instance=${i} link=${link} version=${model?.last ?? ""} />`;
    if (tab === "tree" && live) return html`<${Tree} id=${i.instance} version=${i.updated_at} />`;
    if (tab === "text" && extra) return extra;
    if (!model) return failed ? html`<${Failure} error=${failed} retry=${retry} title="The history could not be read" />` : html`<${Loading} rows=${8} />`;
    if (tab === "values") return html`<div class="cards"><${InstanceFacts} instance=${i} source=${source} model=${model} live=${live} /></div>`;
    if (tab === "history") return html`<${History} source=${source} model=${model} execution=${Number(query.execution) || null} event=${Number(query.event) || 0} mode=${query.view} link=${link} go=${(to) => go(to, { replace: true })} exportHref=${exportHref} />`;
    return html`${(model.earlier > 0 || model.executions.length > 1) && html`<p class="muted">${model.earlier > 0 && `${model.earlier} earlier executions are not shown. `}${live && model.executions.length > 1 && html`<${Button} kind="quiet" href=${format(["difference"], { a: i.instance, ax: model.executions.at(-2).id, b: i.instance, bx: model.executions.at(-1).id })}>Compare the last two executions<//>`}</p>`}
      <${Ends} instance=${i} source=${source} execution=${model.executions.at(-1)} past=${past.at !== ""} />
      ${atLink && html`<${Steps} source=${source} model=${model} past=${past} code=${past.at ? code : null} link=${atLink} />`}
      ${(!past.at || past.model) && html`<${Timeline} model=${past.at ? past.model : model} children=${children} unfold=${unfold} selected=${selected} onSelect=${select} live=${live && !past.at} />`}
      ${line?.type === "group" ? html`<${GroupDetails} line=${line} select=${(r) => select({ type: "row", id: line.id.replace(/g[^/]*$/, "") + r.key, row: r, model: line.model })} close=${close} />` : line && html`<${RowDetails} line=${line} source=${sourceOf(line.model.instance)} link=${line.model.instance === source.id ? link : (x, e) => address(line.model.instance, "history", { execution: x, event: e })} code=${line.model.instance === i.instance ? code : null} instance=${live && !past.at && line.model.instance === i.instance ? i : null} onDone=${acted} close=${close} />`}`;
  };
  return html`<${Header} instance=${i} model=${model}>${actions}<//>
    <${Problem} instance=${i} /><${Awaits} instance=${i} />
    ${running && html`<${Paused} model=${model} waiting=${waiting.data} />`}
    ${model && failed && html`<${Stale} error=${failed} retry=${retry} at=${model.now} />`}
    ${running && !past.at && tab === "timeline" && waiting.data?.leaves.length > 0 && html`<p class="waits"><span class="muted">Waits for</span> <${Leaf} leaf=${waiting.data.leaves[0]} />${waiting.data.leaves[0].path.length === 1 && html`<${At} code=${code} event=${waiting.data.leaves[0].event_id} />`}${waiting.data.leaves.length > 1 && html` <a href=${tabLink("waiting")}>and ${waiting.data.leaves.length - 1}${waiting.data.more ? "+" : ""} more</a>`}</p>`}
    <${Tabs} of=${tabs.map(([key, word, n]) => [key, word, tabLink(key), n])} current=${tab} label="Instance sections" />
    <div class="tab-body">${body()}</div>`;
}
