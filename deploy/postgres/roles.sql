-- The two users of a Writecheck database. Run it once in that database as an administrator; repeating it does no harm:
--   psql --dbname writecheck --single-transaction --file deploy/postgres/roles.sql
-- Then give both a password: \password writecheck_owner, \password writecheck_service

-- Owns the schema and creates the tables with `writecheck workspace create`; nothing else.
DO $$ BEGIN
  CREATE ROLE writecheck_owner LOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
-- Runs the service and every other command. It reads and writes rows and calls functions, but changes no table.
DO $$ BEGIN
  CREATE ROLE writecheck_service LOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
-- No function of another schema takes the place of PostgreSQL's own, and hidden rows are an error. Without a pooler the
-- service sets both for itself.
ALTER ROLE writecheck_service SET search_path = pg_catalog, pg_temp;
ALTER ROLE writecheck_service SET row_security = off;
-- Only a member of a role may set the grants of its future tables.
GRANT writecheck_owner TO CURRENT_USER;

CREATE SCHEMA IF NOT EXISTS writecheck AUTHORIZATION writecheck_owner;
GRANT USAGE ON SCHEMA writecheck TO writecheck_service;
ALTER DEFAULT PRIVILEGES FOR ROLE writecheck_owner IN SCHEMA writecheck
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO writecheck_service;
-- A dump reads sequences too, and the backup job uses this user.
ALTER DEFAULT PRIVILEGES FOR ROLE writecheck_owner IN SCHEMA writecheck
  GRANT SELECT ON SEQUENCES TO writecheck_service;
ALTER DEFAULT PRIVILEGES FOR ROLE writecheck_owner IN SCHEMA writecheck
  GRANT EXECUTE ON FUNCTIONS TO writecheck_service;

-- What an installation with one user has already; REASSIGN OWNED BY gives it to the owner (docs/operations.md).
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA writecheck TO writecheck_service;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA writecheck TO writecheck_service;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA writecheck TO writecheck_service;
