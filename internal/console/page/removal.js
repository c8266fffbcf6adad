// What this page removes: instances that are purged, schedules that are deleted. The view
// of such a thing is still open when the request is sent, and would read what is not there
// any more.
const removals = new Set(); // { root, over: Promise of whether the thing is gone }
const reads = new Set(); // { path, stop: AbortController }

const concerns = (root, path) => path === root || path.startsWith(root.replace(/\/?$/, "/"));

// removing calls act, which removes something and then goes to another address. root is
// the path of the API that ends with it: "instances/order-1", or "instances/" for that of
// each instance. Reads below it that are under way are given up before act is called, and
// later ones wait. When act fails, all of them are made; when it succeeds, they end as
// aborted ones.
export async function removing(root, act) {
  let settle;
  const removal = { root, over: new Promise((done) => { settle = done; }) };
  removals.add(removal);
  for (const read of reads) if (concerns(root, read.path)) read.stop.abort();
  const end = (gone) => {
    settle(gone);
    removals.delete(removal);
  };
  // The view of what is gone is taken down when the address has changed.
  const left = new Promise((done) => window.addEventListener("hashchange", () => setTimeout(done), { once: true }));
  try {
    await act();
  } catch (error) {
    end(false);
    throw error;
  }
  left.then(() => end(true));
}

// reading calls read(signal) for a path of the API.
export async function reading(path, signal, read) {
  for (;;) {
    for (const removal of removals) {
      if (concerns(removal.root, path) && (await removal.over)) throw aborted();
    }
    if (signal?.aborted) throw aborted();
    const own = { path, stop: new AbortController() };
    const stop = () => own.stop.abort();
    signal?.addEventListener("abort", stop);
    reads.add(own);
    try {
      return await read(own.stop.signal);
    } catch (error) {
      if (error.name !== "AbortError" || signal?.aborted) throw error;
    } finally {
      reads.delete(own);
      signal?.removeEventListener("abort", stop);
    }
  }
}

const aborted = () => new DOMException("The request was cancelled, or its target was removed.", "AbortError");
