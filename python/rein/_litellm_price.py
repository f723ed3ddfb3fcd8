"""The most that LiteLLM can charge for an answer: list prices, the request's length, the limit on tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ._errors import Error, needed

_INPUT = ("input_cost_per_token", "cache_creation_input_token_cost")
_OUTPUT = ("output_cost_per_token", "output_cost_per_reasoning_token")
_TEMPLATE = 16  # tokens that a message gets around its text, at most
_UNBOUNDED = ("audio", "modalities", "web_search_options")  # billed by other prices than those of text
_MODES = ("chat", "completion", "responses", "embedding", "rerank", "moderation", None)  # that are billed by tokens
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_ELSEWHERE = ("previous_response_id", "conversation")  # the provider has more of the conversation than the request


def largest_cost(deployment: Mapping[str, Any], request: Mapping[str, Any]) -> float:
    """Dollars. Prices come from the deployment (`input_cost_per_token` and others), else from litellm.model_cost.

    Tokens of the request: at most its bytes, since a token has one at least; and at most what the
    model takes. Tokens of the answer: the limit of the request, of the deployment or of the model.
    """
    own = deployment["litellm_params"]
    known = _known(own, deployment.get("model_info") or {})
    given = {**own, **{key: value for key, value in request.items() if value is not None}}
    text = _text(given, str(own["model"]))
    asked = len(text.encode()) + _TEMPLATE * (len(given.get("messages") or []) + 1)
    asked = min(asked, int(known.get("max_input_tokens") or asked))
    if further := [key for key in _ELSEWHERE if given.get(key)]:
        asked = int(known.get("max_input_tokens") or 0)
        if not asked:
            raise Error(f"largest_costs: found {further[0]} in a request to {own['model']}, whose input has no known "
                        "limit; accepted: the whole input in the request, or largest_costs= of the strategy")
    if known.get("mode") not in _MODES:
        raise Error(f"largest_costs: {own['model']} is billed as {known['mode']}, not by tokens of text; accepted: "
                    "largest_costs= of the strategy")
    paid_in, paid_out = (_price(known, kinds, asked, given, text) for kinds in (_INPUT, _OUTPUT))
    if paid_in is None:
        raise Error(f"largest_costs: LiteLLM knows no price of {own['model']}; accepted: input_cost_per_token and "
                    "output_cost_per_token in its litellm_params, or largest_costs= of the strategy")
    if not paid_out:
        return paid_in * asked
    limits = [int(given[key]) for key in _LIMITS if given.get(key)]
    most = max(limits, default=int(known.get("max_output_tokens") or known.get("max_tokens") or 0))
    if not most:
        raise Error(f"largest_costs: the answer of {own['model']} has no limit; accepted: max_tokens in the request "
                    "or in its litellm_params")
    return paid_in * asked + paid_out * most * max(int(given.get(key) or 1) for key in ("n", "best_of"))


def _known(own: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    """Prices and limits of the model, those of the deployment first."""
    listed, model = needed("rein.litellm", "litellm").model_cost, str(own["model"])
    names = [info.get("base_model") or own.get("base_model"), model, model.split("/", 1)[-1]]
    found = dict(next((listed[name] for name in names if name in listed), {}))
    for given in (info, own):
        found.update({key: value for key, value in given.items() if "cost" in key and value is not None})
    return found


def _price(known: Mapping[str, Any], kinds: tuple[str, ...], asked: int, given: Mapping[str, Any],
           text: str) -> float | None:
    """The highest price per token that can apply to a request with so many tokens."""

    def applies(tier: str) -> bool:
        long = re.search(r"_above_(\d+)k_tokens", tier)
        if re.search("_batches|_flex|_balanced|_cache_hit", tier):
            return False  # discounts
        return ((long is None or asked > 1000 * int(long[1])) and ("_above_1hr" not in tier or '"1h"' in text)
                and ("_priority" not in tier or bool(given.get("service_tier"))))

    prices = [float(value) for key, value in known.items() for kind in kinds
              if key.startswith(kind) and isinstance(value, (int, float)) and applies(key[len(kind):])]
    return max(prices, default=None)


def _text(given: Mapping[str, Any], model: str) -> str:
    """All that the model reads of a request. Its bytes bound its tokens only if it is text."""
    messages = given.get("messages") or []
    parts = [part for one in messages if isinstance(one.get("content"), list) for part in one["content"]]
    other = [key for key in _UNBOUNDED if given.get(key)]
    other += sorted({str(part.get("type")) for part in parts if isinstance(part, Mapping)} - {"text", "input_text"})
    if other:
        raise Error(f"largest_costs: found {', '.join(other)} in a request to {model}, whose largest cost is not "
                    "known; accepted: text, or largest_costs= of the strategy")
    read = (given.get(key) for key in ("messages", "input", "prompt", "tools", "functions", "response_format",
                                       "system", "instructions", "text"))
    return json.dumps([one for one in read if one], ensure_ascii=False, default=str)
