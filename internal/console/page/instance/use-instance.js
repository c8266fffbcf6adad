// An instance as it stands, kept up to date.
import { useEffect, useState } from "../ui.js";
import { get, path } from "../api.js";
import { subscribe } from "../live.js";
import { useResource } from "../resource.js";

// useInstance reads an instance and follows its changes. It returns what
// useResource returns, with data: the instance as the API has it, and lastEvent:
// the number of the last event of its current execution (0 until it is known).
// One that is not there yet appears by itself: error says so until then.
export function useInstance(id) {
  const record = useResource("instance " + id, (signal) => get(path("instances", id), {}, { signal }));
  const [last, setLast] = useState({ id, event: 0 });
  useEffect(() => subscribe({ instance: id }, (event, data) => {
    if (event === "instance") {
      record.setData((was) => whole(was, data.instance, () => record.reload()));
      setLast({ id, event: data.last_event_id ?? 0 });
    } else if (event === "gone") {
      record.setData((was) => (was ? undefined : was));
      record.setError({ code: "not_found", message: `There is no record of this instance.` });
    } else if (event === "failed") {
      record.setError(data.error);
    }
  }), [id]);
  return { ...record, lastEvent: last.id === id ? last.event : 0 };
}

// whole puts a live record, from which large payloads are left out, over the one
// that was read: what it left out is taken from there if that is as new, else
// read again.
function whole(was, now, reload) {
  if (!now.folded?.length) return now;
  if (was && was.updated_at === now.updated_at && was.status === now.status) return was;
  reload();
  return { ...was, ...now };
}
