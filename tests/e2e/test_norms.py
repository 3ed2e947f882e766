"""The Layer norm page: every control changes what it should and nothing else."""

from attnviz.text.catalog import translator

STATISTICS = {"norm_mean", "norm_variance"}
OUTPUTS = {"norm_output", "output_mean", "output_variance"}


def changed(before, after):
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}


def norms(visit, query=""):
    return visit(f"?page=norms{query}")


def test_scale_and_shift_change_the_output_alone(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.type("norms-controls-gamma", "2")
    after = one.numbers("norms")
    assert changed(before, after) == {
        "gamma",
        "norm_output",
        "output_variance",
        *({"output_mean"} & changed(before, after)),
    }
    doubled = [[2 * number for number in row] for row in before["norm_normalized"]]
    assert after["norm_output"] == doubled
    one.type("norms-controls-beta", "1 2 3 4 5 6 7 8")
    assert changed(after, one.numbers("norms")) == {"beta", *OUTPUTS}


def test_epsilon_leaves_the_statistics_alone(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.type("norms-controls-eps", "0.1")
    after = one.numbers("norms")
    assert changed(before, after) >= {"norm_normalized", "norm_output"}
    assert changed(before, after) <= {"norm_normalized", *OUTPUTS}


def test_more_samples_change_nothing_of_the_first(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.slide("norms-controls-n_samples", 7)
    assert changed(before, one.numbers("norms")) == set()


def test_a_control_of_the_sidebar_keeps_scale_and_shift(visit):
    one = norms(visit)
    one.type("norms-controls-gamma", "3")
    one.slide("example-seed", 5)
    assert one.numbers("norms")["gamma"] == [[3] * 8]
    assert one.page.locator("#norms-controls-gamma").input_value() == "3"


def test_a_disturbance_is_felt_by_batch_norm_and_never_by_layer_norm(visit):
    one = norms(visit)
    before = one.numbers("norms")
    for disturbance in ("positions", "samples"):
        one.pick("norms-controls-disturbance", disturbance)
        after = one.numbers("norms")
        assert changed(before, after) == {"batch_change"}
        assert {cell for row in after["layer_change"] for cell in row} == {0}
        assert all(cell != 0 for cell in after["batch_change"][0])
    finding = one.page.locator("[data-live='norms.disturbed']").inner_text()
    start = translator("en")("norms.found.samples", layer="0", batch="", m=3)
    assert finding.startswith(start.rstrip(" ."))


def test_the_attention_output_can_be_added_to_the_input(visit):
    one = norms(visit)
    x = one.numbers("norms")["norm_input"]
    one.pick("norms-controls-source", "residual")
    assert one.numbers("norms")["norm_input"] != x
    one.slide("example-temperature", 3)
    between = one.numbers("norms")["norm_input"]
    one.pick("norms-controls-source", "input")
    assert one.numbers("norms")["norm_input"] == x != between


def test_typed_rows_are_normalized(visit):
    one = norms(visit)
    one.pick("norms-controls-source", "rows")
    one.type("norms-controls-rows", "1 3\n5 5")
    numbers = one.numbers("norms")
    assert numbers["norm_input"] == [[1, 3], [5, 5]]
    assert numbers["norm_mean"] == [[2], [5]]
    assert numbers["norm_variance"] == [[1], [0]]
    assert numbers["norm_normalized"][1] == [0, 0]


def test_the_page_follows_the_example(visit):
    one = norms(visit)
    one.slide("example-length", 3)
    assert len(one.numbers("norms")["norm_input"]) == 3
    one.go_to("attention")
    assert len(one.numbers()["x"]) == 3
