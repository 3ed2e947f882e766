// Matrices of one's own, kept for this tab: a reload, the other language or a server that
// was away finds them again. Nothing of them is in the address but their fingerprint.
import { askForAddress } from "../session/address.js";
import { keepInTab, keptInTab } from "../shell/keeping.js";
import { tell } from "../shell/server.js";

const KEEP = "attnviz-own-";

Shiny.addCustomMessageHandler("attnviz-own", ({ fingerprint, packed }) => {
  keepInTab(KEEP + fingerprint, packed);
});

$(document).one("shiny:sessioninitialized", () => {
  const own = new URLSearchParams(location.search).get("own");
  const packed = own && keptInTab(KEEP + own);
  if (!packed) return;
  tell(document.querySelector(".own-data").dataset.back, packed);
  askForAddress();
});
