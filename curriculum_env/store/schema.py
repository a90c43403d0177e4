"""The one schema of every SQL store."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    event,
)

SCHEMA_VERSION = 1

_BigId = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only as INTEGER

metadata = MetaData()

meta = Table(
    "curriculum_meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

runs = Table(
    "curriculum_runs",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("first_draw", BigInteger, nullable=False),
    Column("started", Double, nullable=False),
    Column("config", JSON, nullable=False),
)

draws = Table(
    "curriculum_draws",
    metadata,
    Column("number", _BigId, primary_key=True, autoincrement=False),
    Column("uid", Text, nullable=False),
    Column("propensity", Double, nullable=False),
    Column("time", Double, nullable=False),
    Column("domain", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("rollouts", Integer, nullable=False),
    Column("continues", BigInteger),
    Column("run", _BigId, ForeignKey(runs.c.id), nullable=False),
)

outcomes = Table(
    "curriculum_outcomes",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("draw", BigInteger, nullable=False),
    Column("uid", Text, nullable=False),
    Column("rollout_id", Text, nullable=False, unique=True),
    Column("reward", Double),
    Column("status", Text, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("turns", BigInteger, nullable=False),
    Column("model", Text, nullable=False),
    Column("wall_time", Double, nullable=False),
    Column("time", Double, nullable=False),
)

owner = Table(
    "curriculum_owner",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("token", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("machine", Text, nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("process_start", Text, nullable=False),
    Column("acquired", Double, nullable=False),
    Column("heartbeat", Double, nullable=False),
)

events = Table(
    "curriculum_events",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("time", Double, nullable=False),
    Column("data", JSON, nullable=False),
)

Index("curriculum_events_kind", events.c.kind, events.c.id)

augmentations = Table(
    "curriculum_augmentations",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("draw", BigInteger, nullable=False),
    Column("source", JSON, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("belief", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("candidate", JSON(none_as_null=True)),
    Column("child", JSON(none_as_null=True)),
    Column("provenance", JSON, nullable=False),
    Column("requests", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Double, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("until", Double, nullable=False),
    Column("created", Double, nullable=False),
    Column("changed", Double, nullable=False),
)

Index("curriculum_augmentations_state", augmentations.c.state, augmentations.c.id)

# PostgreSQL alone needs to know which transaction wrote an outcome; see postgres.py.
_add_xid: DDL = DDL(  # type: ignore[no-untyped-call]
    "ALTER TABLE curriculum_outcomes ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();"
    "CREATE INDEX curriculum_outcomes_xid ON curriculum_outcomes (xid, id)"
)
event.listen(outcomes, "after_create", _add_xid.execute_if(dialect="postgresql"))
