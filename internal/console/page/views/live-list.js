// A page of instances, kept up to date.
import { useEffect, useRef, useState } from "../ui.js";
import { get } from "../api.js";
import { now, useTimeOf } from "../clock.js";
import { listChanged } from "../counts.js";
import { apiQuery, asOf, merge, selects } from "../listquery.js";
import { subscribe } from "../live.js";
import { meet } from "../names.js";
import { useResource } from "../resource.js";

// useLiveList reads the page that the address's query names. The first page is
// live, and moves on with the time that the query names. It returns what useResource returns, with data: { rows, token (of the
// next page), more, moved (the token is older than the rows) }, and fresh: the
// ids that changed last.
export function useLiveList(query) {
  const key = JSON.stringify([selects(query), query.page ?? ""]);
  const at = useTimeOf((now) => (query.page ? 0 : asOf(query, now)));
  const asked = useRef(null);
  const [fresh, setFresh] = useState(new Set());
  const list = useResource(key, async (signal) => {
    asked.current = apiQuery(query, at || now());
    const page = await get("instances", asked.current, { signal });
    meet(page.instances);
    return { rows: page.instances, token: page.next_page_token ?? "", more: !!page.next_page_token, moved: false };
  }, { version: String(at) });
  const there = list.data !== undefined;
  useEffect(() => {
    if (!there || query.page) return;
    let first = true, whole = true;
    return subscribe(apiQuery(query, at || now()), (event, data) => {
      if (event === "list") {
        const begin = first, all = whole;
        meet(data.changed ?? []);
        first = whole = false;
        list.setData((d) => d && { ...d, rows: merge(all ? [] : d.rows, data), more: data.more === true, moved: d.moved || !begin });
        if (!all) setFresh(new Set((data.changed ?? []).map((i) => i.instance)));
        listChanged();
      } else if (event === "failed") {
        whole = true; // All rows come after it, not those alone that have changed.
        list.setError(data.error);
      }
    });
  }, [key, there, at]);
  return { ...list, fresh, asked: () => asked.current };
}
