// Buttons that halve or double the number beside them.
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-scale]");
  if (!button) return;
  const input = button.parentElement.querySelector("input");
  const factor = button.dataset.scale === "double" ? 2 : 0.5;
  const wanted = Math.floor(Number(input.value) * factor);
  input.value = Math.min(Math.max(wanted, input.min), input.max);
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
