// The view library under one name: every other module imports from here, so
// that vendor/ is named in one place.
import { h } from "./vendor/preact/preact.js";
import htm from "./vendor/htm/htm.js";

export { h, render, Component, Fragment, createContext, createRef } from "./vendor/preact/preact.js";
export {
  useState, useReducer, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext, useId,
} from "./vendor/preact/hooks.js";

// html makes elements from a template. What stands in ${} is text or an
// attribute's value, never markup. There are no style attributes (the content
// security policy refuses them): use a class, or setProperty in an effect.
export const html = htm.bind(h);
