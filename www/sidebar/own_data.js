// Matrices of one's own, kept for this tab: a reload, the other language or a server that
// was away finds them again. Nothing of them is in the address but their fingerprint.
import { askForAddress } from "../session/address.js";
import { tell } from "../shell/server.js";

const KEEP = "attnviz-own-";

Shiny.addCustomMessageHandler("attnviz-own", ({ fingerprint, packed }) => {
  try {
    sessionStorage.setItem(KEEP + fingerprint, packed);
  } catch {
    // No room, or forbidden: they are kept as long as the session.
  }
});

function kept(fingerprint) {
  try {
    return sessionStorage.getItem(KEEP + fingerprint);
  } catch {
    return null;
  }
}

$(document).one("shiny:sessioninitialized", () => {
  const own = new URLSearchParams(location.search).get("own");
  const packed = own && kept(own);
  if (!packed) return;
  tell(document.querySelector(".own-data").dataset.back, packed);
  askForAddress();
});
