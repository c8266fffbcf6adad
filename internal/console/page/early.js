// Runs before the first picture, as a script of the old kind: the theme that
// was chosen, and a text where the page cannot run.
(function () {
  var theme = null;
  try { theme = localStorage.getItem("turnstile.theme"); } catch (e) { /* nothing is kept */ }
  if (theme === "light" || theme === "dark") document.documentElement.setAttribute("data-theme", theme);

  function say(title, text) {
    function put() {
      var app = document.getElementById("app");
      if (!app || app.getAttribute("data-started")) return;
      while (app.firstChild) app.removeChild(app.firstChild);
      var p = document.createElement("p"), b = document.createElement("strong");
      p.className = "boot";
      p.setAttribute("role", "alert");
      b.appendChild(document.createTextNode(title + " "));
      p.appendChild(b);
      p.appendChild(document.createTextNode(text));
      app.appendChild(p);
    }
    if (document.getElementById("app")) put();
    else document.addEventListener("DOMContentLoaded", put);
  }
  window.turnstileSay = say;
  // styles/shell.css says "Loading…" where scripts run.
  document.documentElement.className = "scripts";

  // A script or style sheet that does not come: what serves the page is gone, or
  // a login stands in between.
  window.addEventListener("error", function (e) {
    var t = e.target;
    if (t && (t.tagName === "SCRIPT" || t.tagName === "LINK")) {
      say("A part of this page could not be loaded.", "Check that the program that serves it is running. If it is behind a login, reload the page to log in again.");
    }
  }, true);
})();
