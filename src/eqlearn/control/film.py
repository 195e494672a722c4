"""Films of a controlled system: an animated GIF of the pictures that it renders."""

import os
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from eqlearn.data.write_table import replacing
from eqlearn.errors import must

#: Colours of pixels, (height, width, 3).
Picture: TypeAlias = NDArray[np.uint8]

#: Browsers slow down films whose pictures change more often.
LEAST_SECONDS = 0.04
_N_COLOURS, _N_SAMPLED = 64, 12


def write_gif(
    path: str | os.PathLike[str], frames: Sequence[Picture], seconds: float
) -> None:
    """Write pictures, `seconds` apart, as a film that repeats.

    Where they follow each other too fast for a browser, some are left out.
    """
    try:
        from PIL import Image
    except ImportError as error:
        hint = 'Run pip install "eqlearn[control]".'
        raise must("pillow", "installed", "no such package", hint) from error

    if not len(frames):
        raise must("frames", "at least one picture", frames)
    every = max(1, round(LEAST_SECONDS / seconds))
    shown = [Image.fromarray(np.asarray(frame)) for frame in frames[::every]]
    # One set of colours for all, so that nothing flickers: those of some pictures.
    some = [np.asarray(image) for image in shown[:: -(-len(shown) // _N_SAMPLED)]]
    palette = Image.fromarray(np.concatenate(some)).quantize(_N_COLOURS)
    small = [image.quantize(palette=palette) for image in shown]
    with replacing(os.fspath(path)) as file:
        small[0].save(
            file,
            format="GIF",
            save_all=True,
            append_images=small[1:],
            duration=round(1000 * seconds * every),
            loop=0,
        )
