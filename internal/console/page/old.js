// Runs only in browsers without modules.
window.turnstileSay("This browser is too old for this page.", "Use a browser from 2024 or later (Chrome or Edge 123, Firefox 120, Safari 17.5), or the command line: turnstile list, turnstile describe.");
