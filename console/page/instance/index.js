// The view of one instance: its head, and tabs.
import { html, useState } from "../ui.js";
import { Actions } from "../actions/index.js";
import { url, path } from "../api.js";
import { Attributes, Button, Empty, Facts, Failure, Id, InstanceLink, Loading, Moment, Payload, Problem, Ago, Span, Stale, Status, Tabs, Text } from "../components.js";
import { and, condition } from "../listquery.js";
import { format, instance as address } from "../location.js";
import { go } from "../router.js";
import { History } from "./history.js";
import { Timeline } from "./timeline.js";
import { Tree } from "./tree.js";
import { useInstance } from "./use-instance.js";
import { WaitingFor } from "./waiting.js";

export { Inspect } from "./inspect.js";

const ended = ["completed", "failed", "cancelled", "terminated"];

// Instance shows an instance. Props: id, rest (the segments of the address
// behind the id: a tab), query (of the address).
export function Instance({ id, rest, query }) {
  const record = useInstance(id);
  const { data: i, error, lastEvent } = record;
  const head = html`<div class="view-head"><h1 class="instance-id"><${Id} id=${id} label="instance id" /></h1>${i && html`<${Status} status=${i.status} />`}</div>`;
  if (!i) {
    if (!error) return html`${head}<${Loading} rows=${8} />`;
    if (error.code !== "not_found") return html`${head}<${Failure} error=${error} retry=${record.reload} title="The instance could not be read" />`;
    return html`${head}<${Empty} title="There is no such instance">
      <p>It was not started, its start is still queued, or it was purged. If it begins, it appears here by itself.</p><p><a href="#/instances">All instances</a></p><//>`;
  }
  const tab = rest[0] ?? "timeline";
  const props = { id, instance: i, lastEvent, query };
  return html`<div data-instance-view=${id} data-status=${i.status}>${head}
    ${error && html`<${Stale} error=${error} retry=${record.reload} at=${record.at} />`}
    <${Head} instance=${i} lastEvent=${lastEvent} reload=${record.reload} />
    <${Problem} instance=${i} />
    <${Tabs} label="Parts of the instance" current=${tab} of=${[
      ["timeline", "Timeline", address(id)], ["history", "History", address(id, "history"), lastEvent || undefined],
      ...(ended.includes(i.status) ? [] : [["waiting", "Waiting for", address(id, "waiting")]]),
      ["tree", "Tree", address(id, "tree")], ["record", "Record", address(id, "record")],
    ]} />
    ${tab === "history" ? html`<${History} ...${props} />` : tab === "tree" ? html`<${Tree} ...${props} />` : tab === "waiting" ? html`<${WaitingFor} ...${props} />`
      : tab === "record" ? html`<${Payload} value=${i} label="record" open=${true} />` : html`<${Timeline} ...${props} />`}</div>`;
}

function Head({ instance: i, reload }) {
  const failed = !i.problem && i.failure;
  return html`<section class="instance-head" aria-label="How it stands">
    <${Facts} of=${[
      ["Orchestration", html`<a href=${format(["instances"], { name: i.name })}><${Text} value=${i.name} /></a>${i.version && html` <span class="muted">version <${Text} value=${i.version} /></span>`}`],
      ["Started", html`<${Moment} at=${i.created_at} /> <span class="muted">(<${Ago} at=${i.created_at} />)</span>`],
      i.ended_at ? ["Ended", html`<${Moment} at=${i.ended_at} />, took <${Span} from=${i.created_at} to=${i.ended_at} />`] : ["Last changed", html`<${Ago} at=${i.updated_at} />`],
      ["Execution", i.execution_id > 1 && html`${i.execution_id}${i.execution_id > (i.first_execution ?? 1) && html` <span class="muted">(continued as new)</span>`}`],
      ["Parent", i.parent && html`<${InstanceLink} id=${i.parent.instance} /> <a class="small" href=${address(i.parent.instance, "history", { execution: i.parent.execution_id, event: i.parent.event_id })}>event ${i.parent.event_id}</a>`],
      ["Custom status", (i.custom_status !== undefined || i.folded?.includes("custom_status")) && html`<${Payload} value=${i.custom_status} label="custom status" />`],
      ["Search attributes", i.search_attributes && html`<${Attributes} of=${i.search_attributes} onPick=${(name, value) => go(format(["instances"], { where: and("", condition(name, value)) }))} />`],
      ["Output", i.output !== undefined && html`<${Payload} value=${i.output} label="output" />`],
      ["Sealed", i.sealed && html`<${Payload} sealed=${i.sealed} />`],
    ]} />
    ${failed && html`<div class=${"notice slim " + i.status}><p class="grow"><strong><${Text} value=${[failed.kind, failed.code].filter(Boolean).join(", ")} /></strong> <${Text} value=${failed.message ?? ""} lines=${true} />${failed.source && html` <span class="muted">(from <${Text} value=${failed.source} />)</span>`}</p>
      ${failed.details !== undefined && html`<${Payload} value=${failed.details} label="details" />`}</div>`}
    <div class="instance-actions"><${Actions} instance=${i} onDone=${reload} /><${Export} instance=${i} /></div></section>`;
}

function Export({ instance: i }) {
  return html`<${Button} icon="file" href=${url(path("instances", i.instance, "export")).href} download="">Export the history<//>`;
}
