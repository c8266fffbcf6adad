new PagefindUI({ element: "#search", showSubResults: true, showImages: false });
document.querySelector("#search input").setAttribute("aria-label", "Search the pages");
// Code and tables that are wider than their place can be scrolled by keys.
for (const wider of document.querySelectorAll("pre, table")) wider.tabIndex = 0;
// The menu is open where there is room beside the text.
const wide = matchMedia("(min-width: 60rem)");
const menu = document.querySelector("details.menu");
const follow = () => { menu.open = wide.matches; };
wide.addEventListener("change", follow);
follow();
