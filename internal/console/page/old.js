// Runs only in browsers without modules.
window.turnstileSay("This browser is too old for this page.", "It needs a browser of 2024 or later (Chrome or Edge 123, Firefox 120, Safari 17.5). The command line shows the same: turnstile list, turnstile describe.");
