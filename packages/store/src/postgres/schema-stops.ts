/**
 * Whoever knows freezes says so with everything it appends. A program that does not know them appends nothing while
 * one is active.
 */
export const REFUSE_UNAWARE = `
CREATE FUNCTION writecheck.refuse_unaware_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM writecheck.freeze WHERE lifted_ms IS NULL;
  IF FOUND THEN RAISE 'a freeze is active' USING ERRCODE = 'WC005'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_unaware BEFORE UPDATE OF size ON writecheck.log FOR EACH ROW
  WHEN (NEW.size <> OLD.size AND NEW.knows_freezes = OLD.knows_freezes)
  EXECUTE FUNCTION writecheck.refuse_unaware_v1();
`;
