"""A policy of a few thousand parameters over characters, built in place."""

from __future__ import annotations

import string
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CHARACTERS = string.printable


def tokenizer() -> Any:
    """One token per character, `<pad>` and `<end>`."""
    vocabulary = {"<pad>": 0, "<end>": 1}
    vocabulary |= {character: place + 2 for place, character in enumerate(CHARACTERS)}
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token=" "))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    raw.decoder = decoders.Fuse()
    kind: Any = PreTrainedTokenizerFast
    return kind(tokenizer_object=raw, pad_token="<pad>", eos_token="<end>", padding_side="left")


def model(seed: int = 0) -> Any:
    """A Llama of one layer, width 16, with weights that depend on the seed alone."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(CHARACTERS) + 2,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=128,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=1,
    )
    return LlamaForCausalLM(config)
