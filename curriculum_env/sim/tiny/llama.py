"""The tiny policy as transformers knows it: a Llama and its tokenizer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from curriculum_env.sim.tiny.model import Shape, TinyPolicy
from curriculum_env.sim.tiny.text import END, OTHERS, PAD, VOCABULARY

_BLOCK = {
    "attention_norm": ("input_layernorm.weight",),
    "gate_norm": ("post_attention_layernorm.weight",),
    "qkv.weight": tuple(f"self_attn.{name}_proj.weight" for name in "qkv"),
    "out.weight": ("self_attn.o_proj.weight",),
    "gate_up.weight": ("mlp.gate_proj.weight", "mlp.up_proj.weight"),
    "down.weight": ("mlp.down_proj.weight",),
}
_OUTSIDE = {
    "embedding.weight": ("model.embed_tokens.weight",),
    "norm": ("model.norm.weight",),
    "head.weight": ("lm_head.weight",),
}


def to_llama(policy: TinyPolicy) -> Any:
    """A `LlamaForCausalLM` with the weights of `policy`; it gives the same logits."""
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = policy.shape
    sizes: dict[str, Any] = {
        "vocab_size": len(VOCABULARY),
        "hidden_size": shape.width,
        "intermediate_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "max_position_embeddings": shape.longest,
        "rope_theta": shape.theta,
        "rms_norm_eps": shape.epsilon,
        "pad_token_id": PAD,
        "bos_token_id": None,
        "eos_token_id": END,
    }
    model: Any = LlamaForCausalLM(LlamaConfig(**sizes))
    weights: dict[str, Tensor] = policy.state_dict()
    found: dict[str, Tensor] = {}
    for ours, theirs in _names(shape).items():
        found.update(zip(theirs, weights[ours].clone().chunk(len(theirs)), strict=True))
    model.load_state_dict(found)
    return model


def from_llama(model: Any, shape: Shape | None = None) -> TinyPolicy:
    """The reverse of `to_llama`."""
    policy = TinyPolicy(shape)
    weights: dict[str, Tensor] = model.state_dict()
    policy.load_state_dict(
        {ours: torch.cat([weights[t] for t in ts]) for ours, ts in _names(policy.shape).items()}
    )
    return policy


def _names(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Names of our parameters, and of those of a Llama that make them up."""
    names: dict[str, tuple[str, ...]] = {**_OUTSIDE}
    for layer in range(shape.layers):
        for ours, theirs in _BLOCK.items():
            names[f"blocks.{layer}.{ours}"] = tuple(f"model.layers.{layer}.{t}" for t in theirs)
    return names


def tokenizer() -> Any:
    """The vocabulary as a tokenizer of transformers; whatever is not part of a sum is dropped."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    numbered = {symbol: number for number, symbol in enumerate(VOCABULARY)}
    made = Tokenizer(models.WordLevel(numbered, unk_token=VOCABULARY[PAD]))
    made.normalizer = normalizers.Replace(Regex(OTHERS.pattern), "")
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.decoder = decoders.Fuse()
    kind: Any = PreTrainedTokenizerFast
    return kind(
        tokenizer_object=made,
        pad_token=VOCABULARY[PAD],
        eos_token=VOCABULARY[END],
        padding_side="left",
    )
