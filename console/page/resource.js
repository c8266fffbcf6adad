// What a view reads from the API, kept up to date.
import { useCallback, useEffect, useRef, useState } from "./ui.js";
import { subscribe } from "./live.js";

// useResource calls load(signal) whenever key changes, and again on reload and
// on live changes; key null reads nothing. Options:
//
//	live      query of the live connection, or null for none
//	wants     (change) => bool: whether a change is about this; default all
//	every     at least this many ms lie between two reads for changes; default 1000
//	poll      read every that many ms too; default never
//
// It returns { data, error, loading, key, at, reload }. data stays what it was
// while the same key is read again, and when that fails: error says so then.
// at is when data was read. Nothing is read while the tab is hidden.
export function useResource(key, load, options = {}) {
  const [state, set] = useState({ key: null, data: undefined, error: null, loading: key !== null, at: 0 });
  const now = useRef();
  now.current = { key, load, ...options };
  const run = useRef(null); // the AbortController of the read under way

  const read = useCallback(async () => {
    const { key, load } = now.current;
    if (key === null) return;
    run.current?.abort();
    const own = run.current = new AbortController();
    set((s) => (s.key === key ? { ...s, loading: true } : { key, data: undefined, error: null, loading: true, at: 0 }));
    try {
      const data = await load(own.signal);
      if (run.current === own) set({ key, data, error: null, loading: false, at: Date.now() });
    } catch (error) {
      if (run.current === own && error.name !== "AbortError") {
        if (!error.code) console.error(error);
        set((s) => ({ ...s, key, error, loading: false }));
      }
    } finally {
      if (run.current === own) run.current = null;
    }
  }, []);

  useEffect(() => {
    if (key === null) {
      set({ key: null, data: undefined, error: null, loading: false, at: 0 });
      return;
    }
    read();
    return () => {
      run.current?.abort();
      run.current = null;
    };
  }, [key]);

  const live = key !== null && options.live ? JSON.stringify(options.live) : null;
  useEffect(() => {
    if (live === null) return;
    const later = paced(() => read(), () => now.current.every ?? 1000);
    const end = subscribe(JSON.parse(live), (change) => {
      if (change === null || (now.current.wants ?? (() => true))(change)) later.soon();
    });
    return () => {
      end();
      later.stop();
    };
  }, [live, key]);

  useEffect(() => {
    if (key === null || !options.poll) return;
    const timer = setInterval(() => document.hidden || read(), options.poll);
    const shown = () => document.hidden || read();
    document.addEventListener("visibilitychange", shown);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [options.poll, key]);

  const mine = state.key === key;
  return mine ? { ...state, reload: read } : { key, data: undefined, error: null, loading: key !== null, at: 0, reload: read };
}

// paced calls f at once, and then at most once in every() ms; the last call is
// never lost.
function paced(f, every) {
  let timer = 0, last = 0;
  return {
    soon() {
      if (timer) return;
      timer = setTimeout(() => {
        timer = 0;
        last = Date.now();
        if (!document.hidden) f();
      }, Math.max(0, last + every() - Date.now()));
    },
    stop() { clearTimeout(timer); },
  };
}
