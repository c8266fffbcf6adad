// What this console is and may do (GET about), read once when the page is
// opened, for all views.
import { createContext, useContext } from "./ui.js";

export const About = createContext({ about: null, error: null });

// useAbout returns the answer of about, or null before it is there.
export function useAbout() {
  return useContext(About).about;
}

// useActs returns the acts on an instance (GET about), by name.
export function useActs() {
  return new Map((useAbout()?.acts ?? []).map((act) => [act.name, act]));
}

// useMayAct reports whether actions are allowed here.
export function useMayAct() {
  return useAbout()?.actions === true;
}
