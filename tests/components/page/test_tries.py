"""What to try: sentences that set the page."""

import re
from urllib.parse import parse_qs

from attnviz.components.page.tries import tries


def test_a_try_is_a_link_to_a_state_of_the_page_in_the_reader_s_language():
    html = str(tries("toy", ["tf=5&s=0", "tf=7"], lambda key: key, "zh"))
    links = re.findall(r'href="\?([^"]*)">([^<]*)<', html.replace("&amp;", "&"))
    assert [text for _, text in links] == ["toy.tries.1", "toy.tries.2"]
    assert parse_qs(links[0][0]) == {
        "lang": ["zh"],
        "page": ["toy"],
        "tf": ["5"],
        "s": ["0"],
    }
