// The echo of what the server has moved: a mark comes behind the moves of a round, and goes
// back behind all that they made the controls say.
class MarkBinding extends Shiny.InputBinding {
  find(scope) {
    return $(scope).find("#moved");
  }
  getValue(mark) {
    return mark.count ?? 0;
  }
  subscribe(mark, callback) {
    mark.tell = callback;
  }
  unsubscribe() {}
  receiveMessage(mark, { count }) {
    mark.count = count;
    mark.tell(false);
  }
}
Shiny.inputBindings.register(new MarkBinding(), "attnviz.moved");
