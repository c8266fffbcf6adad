// Going through rows with j and k. A row is an element with data-row; its link
// or button with data-row-link takes the focus, so that Enter opens it.
import { useKeys } from "../keyboard.js";

// useRowKeys takes j and k for the rows inside the element of ref.
export function useRowKeys(ref) {
  const step = (by) => () => {
    const links = [...(ref.current?.querySelectorAll("[data-row-link]") ?? [])].filter((l) => l.getClientRects().length > 0);
    if (links.length === 0) return false;
    const row = document.activeElement?.closest?.("[data-row]");
    const at = row ? links.findIndex((l) => row.contains(l)) : -1;
    const to = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
    links[to].focus({ preventScroll: true });
    links[to].scrollIntoView({ block: "nearest" });
  };
  useKeys({ j: step(1), k: step(-1) });
}
