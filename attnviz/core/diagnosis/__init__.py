"""What is the matter with a result, and what a head of attention looks like."""

from attnviz.core.diagnosis.attention import diagnose_attention
from attnviz.core.diagnosis.diagnosis import Candidate, Diagnosis, DiagnosisVerdict
from attnviz.core.diagnosis.gradients import diagnose_gradients
from attnviz.core.diagnosis.multi_head import diagnose_multi_head
from attnviz.core.diagnosis.network import diagnose_feed_forward
from attnviz.core.diagnosis.norms import diagnose_layer_norm
from attnviz.core.diagnosis.patterns import HeadPattern, head_patterns
from attnviz.core.diagnosis.positions import diagnose_positions, diagnose_rotation

__all__ = [
    "Candidate",
    "Diagnosis",
    "DiagnosisVerdict",
    "HeadPattern",
    "diagnose_attention",
    "diagnose_feed_forward",
    "diagnose_gradients",
    "diagnose_layer_norm",
    "diagnose_multi_head",
    "diagnose_positions",
    "diagnose_rotation",
    "head_patterns",
]
