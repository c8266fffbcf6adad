// Keys. A view names the keys that it takes; the newest view that takes a key
// gets it. Keys without a modifier do nothing while a text is typed or a dialog
// is open, and can be turned off (they get in the way of speech input).
import { useEffect, useRef } from "./ui.js";
import { setting } from "./settings.js";

const layers = []; // of { current: { key: function } }
let pending = "", pendingTimer = 0;

// useKeys takes keys while the component is shown: { "/": f, "mod+k": f,
// "g i": f }. mod is Ctrl, or Cmd on a Mac. A function that returns false has
// not taken the key.
export function useKeys(keys) {
  const ref = useRef(keys);
  ref.current = keys;
  useEffect(() => {
    layers.push(ref);
    return () => layers.splice(layers.indexOf(ref), 1);
  }, []);
}

const typing = (t) => t?.closest?.("input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable]");

function onKey(e) {
  if (e.defaultPrevented || e.isComposing) return;
  const mod = e.ctrlKey || e.metaKey;
  let name = e.key;
  if (mod) {
    if (e.altKey || e.shiftKey) return;
    name = "mod+" + e.key.toLowerCase();
  } else {
    if (e.altKey || typing(e.target) || document.querySelector("dialog[open]")) return;
    if (setting("keys") !== "yes" && name.length === 1) return;
    // A space or Enter on a button is the button's.
    if (name === "Enter" && e.target.closest?.("a, button, summary")) return;
  }
  const two = pending ? pending + " " + name : "";
  pending = "";
  clearTimeout(pendingTimer);
  if ((two && take(two)) || take(name)) {
    e.preventDefault();
    return;
  }
  if (!mod && layers.some((l) => Object.keys(l.current).some((k) => k.startsWith(name + " ")))) {
    pending = name;
    pendingTimer = setTimeout(() => { pending = ""; }, 1200);
  }
}

function take(name) {
  for (let i = layers.length - 1; i >= 0; i--) {
    const f = layers[i].current[name];
    if (f && f() !== false) return true;
  }
  return false;
}

document.addEventListener("keydown", onKey);

// modKey is how this machine's keyboard calls mod.
export const modKey = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform ?? "") ? "⌘" : "Ctrl";
