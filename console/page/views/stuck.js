import { html } from "../ui.js";
import { Empty } from "../components.js";

export function Stuck() {
  return html`<${Empty} title="This view is still to come" />`;
}

// useAttention returns how many instances are stuck or corrupt.
export function useAttention() {
  return { count: 0, more: false };
}
