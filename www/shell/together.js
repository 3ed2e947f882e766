// What the server says of its progress waits there for a message that tells more, and
// comes along with it: here it is taken as if it had come by itself.
Shiny.addCustomMessageHandler("attnviz-together", async (messages) => {
  for (const message of messages) await Shiny.shinyapp.dispatchMessage(JSON.stringify(message));
});
