// What the code has, as far as the console knows it: names to offer, examples to
// fill in, and what is wrong with data before it is sent.
import { useEffect, useRef, useState } from "./ui.js";
import { get, post } from "./api.js";
import { useAbout } from "./about.js";
import { useResource } from "./resource.js";

const none = { builds: [], orchestrations: [], activities: [], events: [], queries: [], updates: [] };

// useCatalog reads what the code has, when a form is opened; nothing is offered where
// the console does not know it, or before it is there.
export function useCatalog() {
  const knows = useAbout()?.capabilities?.catalog === true;
  return useResource(knows ? "catalog" : null, (signal) => get("catalog", {}, { signal })).data ?? none;
}

// find is the entry of a name; of an orchestration without a version the newest. Pure.
export function find(entries, name, version = "") {
  return entries.find((e) => e.name === name && (version === "" || (e.version ?? "") === version));
}

// useCheck holds a text against a type of the code as one types. It returns
// { problems, sure }: sure() is called before the text is sent, and resolves to false
// if something is wrong that was not shown yet.
export function useCheck(kind, name, version, text) {
  const knows = useAbout()?.capabilities?.catalog === true;
  const body = { kind, name: name.trim(), version, data: text }, key = JSON.stringify(body);
  const asks = knows && body.name !== "" && text.trim() !== "";
  const [state, set] = useState({ key: "", problems: [] });
  const now = useRef(key);
  now.current = key;
  const ask = async () => {
    let problems = [];
    try {
      if (asks) ({ problems } = await post("catalog/check", body));
    } catch (error) {
      if (!error.code) console.error(error); // What cannot be checked is sent unchecked.
    }
    if (now.current === key) set({ key, problems });
    return problems;
  };
  useEffect(() => {
    if (!asks) return;
    const timer = setTimeout(ask, 250);
    return () => clearTimeout(timer);
  }, [key, asks]);
  const known = state.key === key;
  return { problems: asks ? state.problems : [], known, sure: async () => !asks || known || (await ask()).length === 0 };
}
