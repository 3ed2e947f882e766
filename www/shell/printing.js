// On paper a page is light, whatever its theme on screen.
const root = document.documentElement;
let theme = null;

window.addEventListener("beforeprint", () => {
  theme = root.dataset.bsTheme;
  root.dataset.bsTheme = "light";
});
window.addEventListener("afterprint", () => {
  root.dataset.bsTheme = theme;
});
