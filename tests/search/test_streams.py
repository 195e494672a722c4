import itertools

import numpy as np

from eqlearn.search.streams import Stream, entropy, generator


def test_no_two_purposes_share_their_numbers() -> None:
    drawn = {
        (stream, *numbers): generator(3, stream, *numbers).random()
        for stream in Stream
        for numbers in itertools.chain([()], [(k,) for k in range(1, 4)])
    }
    assert len(set(drawn.values())) == len(drawn)


def test_a_stream_is_the_same_from_what_json_holds_of_it() -> None:
    again = np.random.default_rng(entropy(5, Stream.TRAINING, 2))
    assert again.random() == generator(5, Stream.TRAINING, 2).random()
