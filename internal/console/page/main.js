// Checks that the browser has what the page needs, then starts it. This file
// keeps to what every browser with modules understands.
var missing = [];
if (typeof HTMLDialogElement !== "function") missing.push("dialogs");
if (typeof EventSource !== "function") missing.push("server-sent events");
if (!window.CSS || !CSS.supports("color", "light-dark(#000, #fff)")) missing.push("light-dark colours");
if (typeof String.prototype.toWellFormed !== "function") missing.push("well-formed texts");

if (missing.length > 0) {
  window.turnstileSay("This browser is too old for this page.", "It lacks " + missing.join(", ") + ". Use a browser from 2024 or later (Chrome or Edge 123, Firefox 120, Safari 17.5), or the command line: turnstile list, turnstile describe.");
} else {
  import("./app.js").then(function (app) {
    app.start(document.getElementById("app"));
  }).catch(function (err) {
    console.error(err);
    window.turnstileSay("This page could not be started.", "Reload it. " + err);
  });
}
