"""Neighbours among sentence embeddings, with a static model (model2vec)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Embeddings:
    """The embeddings of texts, by cosine.

    `model` is a local folder or a name on the Hugging Face hub that
    `model2vec.StaticModel.from_pretrained` takes; `least` is the cosine in [0, 1] from which two
    texts are neighbours.

    Raises:
        ConfigError: model2vec is missing, or the model cannot be loaded.
    """

    def __init__(self, model: str, least: float) -> None:
        self.least = least
        self._model = _loaded(model)
        self._texts: list[str] = []
        self._matrix_ND: NDArray[np.float32] | None = None

    def add(self, text: str) -> None:
        """Make a text known."""
        self._texts.append(text)
        self._matrix_ND = None

    def nearest(self, text: str) -> tuple[int, float] | None:
        """The number of the known text that is nearest and its cosine, None where none is near."""
        if not self._texts:
            return None
        if self._matrix_ND is None:
            self._matrix_ND = self._embed(self._texts)
        cosines_N = self._matrix_ND @ self._embed([text])[0]
        number = int(cosines_N.argmax())
        cosine = float(cosines_N[number])
        return (number, min(cosine, 1.0)) if cosine >= self.least else None

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (texts, dimensions); zero for a text the model knows nothing of."""
        vectors = np.asarray(self._model.encode(texts), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _loaded(model: str) -> Any:
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise ConfigError(
            "embeddings are computed by model2vec, which is missing: "
            "pip install 'curriculum-env[embedding]'"
        ) from error
    try:
        return StaticModel.from_pretrained(model)
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ConfigError(
            f"the embedding model {model} cannot be loaded ({reason}); expected a folder or a hub "
            "name of a model2vec model"
        ) from error
