"""Whether a rubric can be trusted: replies known to be right and wrong, task by task."""

from __future__ import annotations

from curriculum_env.pool.audit.auditing import Ruling, Subject, audit, readable_frames
from curriculum_env.pool.audit.describe import sections
from curriculum_env.pool.audit.findings import AuditReport, Tally
from curriculum_env.pool.audit.probes import FRAMES, Probe

__all__ = [
    "FRAMES",
    "AuditReport",
    "Probe",
    "Ruling",
    "Subject",
    "Tally",
    "audit",
    "readable_frames",
    "sections",
]
