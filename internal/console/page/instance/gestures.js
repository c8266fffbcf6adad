// Zooming and moving by wheel, mouse and fingers.
import { useEffect, useRef } from "../ui.js";

// useGestures listens on the element of ref. on: { zoom(factor, share of the
// width), pan(share of the width), box() (where the bars are) }; changes are gathered into one a frame.
export function useGestures(ref, on) {
  const now = useRef(on);
  now.current = on;
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    let wait = 0, factor = 1, share = 0.5, by = 0;
    const later = () => {
      if (!wait) wait = requestAnimationFrame(() => {
        wait = 0;
        if (factor !== 1) now.current.zoom(factor, share);
        if (by !== 0) now.current.pan(by);
        factor = 1;
        by = 0;
      });
    };
    const width = () => now.current.box();
    const wheel = (e) => {
      const box = width(), unit = e.deltaMode === 1 ? 16 : 1;
      if (e.ctrlKey || e.metaKey) {
        factor *= Math.exp(Math.max(-60, Math.min(60, e.deltaY * unit)) * 0.01);
        share = (e.clientX - box.left) / box.width;
      } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        by += ((e.deltaX || e.deltaY) * unit) / box.width;
      } else return; // The page scrolls.
      e.preventDefault();
      later();
    };
    const fingers = new Map();
    const down = (e) => {
      if ((e.pointerType === "mouse" && e.button !== 0) || e.target.closest("button")) return;
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      el.dragged = false;
    };
    const move = (e) => {
      const was = fingers.get(e.pointerId);
      if (!was) return;
      const box = width();
      if (fingers.size === 1) {
        if (!el.dragged && Math.abs(e.clientX - was.x) < 4) return;
        if (!el.dragged) el.setPointerCapture(e.pointerId);
        el.dragged = true;
        by -= (e.clientX - was.x) / box.width;
      } else {
        const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
        const before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
        el.dragged = true;
        if (before > 10 && after > 10) factor *= before / after;
        share = ((e.clientX + other.x) / 2 - box.left) / box.width;
      }
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      later();
    };
    const up = (e) => fingers.delete(e.pointerId);
    el.addEventListener("wheel", wheel, { passive: false });
    el.addEventListener("pointerdown", down);
    el.addEventListener("pointermove", move);
    el.addEventListener("pointerup", up);
    el.addEventListener("pointercancel", up);
    return () => {
      cancelAnimationFrame(wait);
      el.removeEventListener("wheel", wheel);
      el.removeEventListener("pointerdown", down);
      el.removeEventListener("pointermove", move);
      el.removeEventListener("pointerup", up);
      el.removeEventListener("pointercancel", up);
    };
  }, [on.asTable]);
}
