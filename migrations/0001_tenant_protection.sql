-- Why: no query may see another tenant's rows, whatever it forgets; the application's roles never bypass row security.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app_rw') THEN
    CREATE ROLE app_rw NOLOGIN NOBYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster was faster
END $$;
--> statement-breakpoint
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app_system') THEN
    CREATE ROLE app_system NOLOGIN NOBYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['app_rw', 'app_system'] LOOP
    FOR attempt IN 1..20 LOOP
      BEGIN
        IF NOT pg_has_role(current_user, wanted, 'member') THEN
          EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
        END IF;
        EXIT;
      EXCEPTION WHEN internal_error OR unique_violation THEN NULL; -- roles are shared by the cluster: somebody grants at this moment
      END;
    END LOOP;
  END LOOP;
END $$;
--> statement-breakpoint
-- Protects every table that has a tenant_id. A migration that adds a table calls it again.
CREATE OR REPLACE FUNCTION app_protect() RETURNS void LANGUAGE plpgsql AS $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT c.relname FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relkind = 'r' AND c.relname NOT IN ('channels', 'api_tokens')
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one.relname);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one.relname);
    EXECUTE format('DROP POLICY IF EXISTS tenant_rows ON %I', one.relname);
    EXECUTE format(
      'CREATE POLICY tenant_rows ON %I TO app_rw USING (tenant_id = current_setting(''app.tenant_id'', true)) WITH CHECK (tenant_id = current_setting(''app.tenant_id'', true))',
      one.relname);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO app_rw', one.relname);
  END LOOP;
  REVOKE UPDATE, DELETE ON audit_log FROM app_rw;
END $$;
--> statement-breakpoint
SELECT app_protect();
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO app_rw, app_system;
--> statement-breakpoint
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO app_rw;
--> statement-breakpoint
GRANT SELECT ON tenants, channels, app_state TO app_rw;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON tool_schema_versions TO app_rw;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON tenants, channels, api_tokens TO app_system;
--> statement-breakpoint
GRANT SELECT ON app_state TO app_system;
--> statement-breakpoint
-- The system role finds what is due in all tenants: ids, states, times, nothing of what people said.
GRANT SELECT (id, tenant_id, conversation_id, kind, status, due_at, lease_owner, lease_until) ON runs TO app_system;
--> statement-breakpoint
GRANT SELECT (id, tenant_id, status, approval_id, has_side_effect, run_after, lease_owner, lease_until) ON tool_execution_queue TO app_system;
--> statement-breakpoint
GRANT SELECT (id, tenant_id, status, expires_at) ON approval_queue TO app_system;
--> statement-breakpoint
GRANT SELECT (id, tenant_id, channel_id, chat_id, seq, status, due_at, lease_until) ON outbox TO app_system;
--> statement-breakpoint
GRANT SELECT (id, tenant_id, channel_id, kind, status, received_at) ON inbox TO app_system;
--> statement-breakpoint
CREATE POLICY system_rows ON runs FOR SELECT TO app_system USING (true);
--> statement-breakpoint
CREATE POLICY system_rows ON tool_execution_queue FOR SELECT TO app_system USING (true);
--> statement-breakpoint
CREATE POLICY system_rows ON approval_queue FOR SELECT TO app_system USING (true);
--> statement-breakpoint
CREATE POLICY system_rows ON outbox FOR SELECT TO app_system USING (true);
--> statement-breakpoint
CREATE POLICY system_rows ON inbox FOR SELECT TO app_system USING (true);
