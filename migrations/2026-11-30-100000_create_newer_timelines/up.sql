-- What a primary that was replaced by a standby is told by instances that have seen the standby's timeline.
CREATE TABLE newer_timelines (
    system_identifier bigint      NOT NULL,
    timeline          bigint      NOT NULL,
    seen_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT newer_timelines_pkey PRIMARY KEY (system_identifier, timeline)
);
COMMENT ON TABLE newer_timelines IS 'Timelines of the cluster that instances have seen on another server. A server with an older one is not used.';
COMMENT ON COLUMN newer_timelines.system_identifier IS 'The cluster (pg_control_system). A restored dump is another one.';
COMMENT ON COLUMN newer_timelines.timeline IS 'The timeline of the other server.';
COMMENT ON COLUMN newer_timelines.seen_at IS 'When an instance wrote this row.';
