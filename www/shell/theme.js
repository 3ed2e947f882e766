// The switch between light and dark; first_paint.js sets what the page starts with.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-action='theme']")) return;
  const root = document.documentElement;
  const theme = root.getAttribute("data-bs-theme") === "dark" ? "light" : "dark";
  root.setAttribute("data-bs-theme", theme);
  try {
    localStorage.setItem("attnviz-theme", theme);
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
});
