// Package browser finds or installs the Chromium that the tests of the console
// run in, and starts it.
//
// [Find] takes a browser from the PATH, or the one that [Install] has put into
// .local at the root of the repository: @sparticuz/chromium from npm, with
// fonts, pinned by version and digest. No root, no Docker; npm is needed to
// install, nothing of Node to run.
//
// [Start] starts one process. Each [Browser.Page] has its own storage and
// collects what went wrong in it; [Page.Problems] has it.
package browser
