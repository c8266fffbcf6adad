// What a view reads from the API.
import { useCallback, useEffect, useRef, useState } from "./ui.js";
import { onConnection } from "./connection.js";

// useResource calls load(signal) whenever key changes, and again on reload();
// key null reads nothing. Options: poll, to read every that many ms too; version, to read
// again when that changes, while what was read stays: a dialog that stands in it stays open.
//
// It returns { data, error, loading, at, reload, setData, setError }. data stays what it
// was while the same key is read again, and when that fails: error says so then.
// at is when data was read. Nothing is read while the tab is hidden; what failed
// because the server did not answer is read again when it does.
export function useResource(key, load, { poll = 0, version = "" } = {}) {
  const empty = { key, data: undefined, error: null, loading: key !== null, at: 0 };
  const [state, set] = useState(empty);
  const now = useRef();
  now.current = { key, load };
  const run = useRef(null); // the AbortController of the read under way
  const gone = useRef(false); // the view that reads is not shown any more

  const read = useCallback(async () => {
    const { key, load } = now.current;
    if (key === null || gone.current) return;
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

  // setData takes data that came by another way, such as a live change: a value
  // or a function of the data before.
  const setData = useCallback((data) => {
    set((s) => (s.key !== now.current.key ? s : { ...s, data: typeof data === "function" ? data(s.data) : data, error: null, at: Date.now() }));
  }, []);

  // setError says that what is shown could not be read again.
  const setError = useCallback((error) => {
    set((s) => (s.key !== now.current.key ? s : { ...s, error }));
  }, []);

  useEffect(() => () => { gone.current = true; }, []);

  useEffect(() => {
    if (key !== null) read();
    return () => {
      run.current?.abort();
      run.current = null;
    };
  }, [key]);

  const seen = useRef({ key, version });
  useEffect(() => {
    const moved = seen.current.key === key && seen.current.version !== version;
    seen.current = { key, version };
    if (moved) read();
  }, [key, version]);

  const failed = state.key === key && state.error?.code === "unreachable";
  useEffect(() => {
    if (!failed) return;
    return onConnection((c) => { if (c !== "lost" && c !== "waiting" && c !== "hidden") read(); });
  }, [failed]);

  useEffect(() => {
    if (key === null || !poll) return;
    const timer = setInterval(() => document.hidden || read(), poll);
    const shown = () => document.hidden || read();
    document.addEventListener("visibilitychange", shown);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [poll, key]);

  return { ...(state.key === key ? state : empty), reload: read, setData, setError };
}
