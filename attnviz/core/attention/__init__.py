"""Scaled dot-product attention: scores, masks, softmax, heads."""

from attnviz.core.attention.by_list import multi_head_attend_by_list
from attnviz.core.attention.heads import (
    FusedLayout,
    merge_heads,
    project_heads,
    share_heads,
    split_fused,
    split_heads,
)
from attnviz.core.attention.masks import (
    causal_mask,
    combine_masks,
    padding_mask,
    sparse_mask,
    window_mask,
)
from attnviz.core.attention.moments import ScoreMoments, score_moments, sign_vectors
from attnviz.core.attention.multi_head import (
    MultiHeadParameters,
    MultiHeadTrace,
    join_heads,
    multi_head_attend,
)
from attnviz.core.attention.scaled_dot_product import (
    AttentionTrace,
    attend,
    slice_head,
    stack_heads,
)
from attnviz.core.attention.scores import (
    additive_scores,
    bilinear_scores,
    default_scale,
    dot_scores,
)
from attnviz.core.attention.weights import SoftmaxTrace, softmax, softmax_stages

__all__ = [
    "AttentionTrace",
    "FusedLayout",
    "MultiHeadParameters",
    "MultiHeadTrace",
    "ScoreMoments",
    "SoftmaxTrace",
    "additive_scores",
    "attend",
    "bilinear_scores",
    "causal_mask",
    "combine_masks",
    "default_scale",
    "dot_scores",
    "join_heads",
    "merge_heads",
    "multi_head_attend",
    "multi_head_attend_by_list",
    "padding_mask",
    "project_heads",
    "score_moments",
    "share_heads",
    "sign_vectors",
    "slice_head",
    "softmax",
    "softmax_stages",
    "sparse_mask",
    "split_fused",
    "split_heads",
    "stack_heads",
    "window_mask",
]
