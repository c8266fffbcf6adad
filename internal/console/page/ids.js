// Ids of instances that begin with what is typed, for suggestions.
import { get } from "./api.js";
import { useEffect, useState } from "./ui.js";

// Suggestions are asked for where a text of leastTyped or more characters has stood
// for pauseMS: on DynamoDB each asking reads up to 140 units.
const leastTyped = 2, pauseMS = 250, offered = 8;

// useIDs returns the ids of the newest instances whose id begins with the text; until
// they are known, or if they cannot be read, those that were returned before.
export function useIDs(text) {
  const [ids, setIDs] = useState([]);
  const prefix = text.trim();
  useEffect(() => {
    if (prefix.length < leastTyped || /[<>="']/.test(prefix)) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const page = await get("instances", { prefix, page_size: offered }, { signal: abort.signal });
        setIDs(page.instances.map((i) => i.instance));
      } catch (error) {
        // The list itself says so where the server is not reached.
        if (!error.code && error.name !== "AbortError") console.error(error);
      }
    }, pauseMS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [prefix]);
  return ids;
}
