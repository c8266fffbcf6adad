// Where the page stands, and how it goes elsewhere: the part of the address
// behind #, so that the page works under any path.
import { useEffect, useState } from "./ui.js";
import { format, parse } from "./location.js";

const moved = "turnstile:moved"; // an event of window: the address was replaced

// useLocation returns { segments, query }, renewed when the address changes.
export function useLocation() {
  const [hash, set] = useState(location.hash);
  useEffect(() => {
    const read = () => set(location.hash);
    window.addEventListener("hashchange", read);
    window.addEventListener(moved, read);
    read();
    return () => {
      window.removeEventListener("hashchange", read);
      window.removeEventListener(moved, read);
    };
  }, []);
  return parse(hash);
}

// go moves to an address made by location.js; with replace the one before is
// not kept in the browser's history.
export function go(address, { replace = false } = {}) {
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState(null, "", address);
  window.dispatchEvent(new Event(moved));
}

// setQuery changes fields of the query, and leaves the others; an empty value
// takes a field out.
export function setQuery(change, options) {
  const { segments, query } = parse(location.hash);
  go(format(segments, { ...query, ...change }), options);
}
