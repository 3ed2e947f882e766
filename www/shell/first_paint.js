// Light or dark, before anything is painted: as was chosen here, else as the system is
// set. Modules wait until the page has been read: this is the one script that is none.
{
  const chosen = () => {
    try {
      return localStorage.getItem("attnviz-theme");
    } catch {
      return null; // storage may be forbidden: the choice then lasts as long as the page
    }
  };
  const isDark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const theme = chosen() || (isDark.matches ? "dark" : "light");
    document.documentElement.setAttribute("data-bs-theme", theme);
  };
  follow();
  isDark.addEventListener("change", follow);
}
