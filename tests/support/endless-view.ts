import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const fixture = new URL('../fixtures/geopackage/stations.gpkg', import.meta.url)
const table = 'stazioni_metropolitana'
const tables = Array.from({ length: 12 }, (_, at) => `t${at}`)

/** Each view returns one row and never ends. */
const views = {
  'cross-join': `SELECT t0.rowid AS fid, t0.geom AS geom, 1 AS number
    FROM ${tables.map((name) => `${table} ${name}`).join(', ')}
    WHERE ${tables.map((name) => `${name}.rowid`).join(' + ')} = ${tables.length}`,
  recursive: `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
    SELECT n.x AS fid, s.geom AS geom, n.x AS number FROM n JOIN ${table} s ON s.rowid = 1 WHERE n.x = 1`,
}

export type EndlessView = keyof typeof views

/** Writes a small GeoPackage whose only layer, `endless`, is such a view. */
export function writeEndlessView(path: string, kind: EndlessView): void {
  copyFileSync(fixture, path)
  const db = new DatabaseSync(path)
  db.exec(`
    DROP TABLE IF EXISTS gpkg_ogr_contents;
    CREATE VIEW endless AS ${views[kind]};
    INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id)
      VALUES ('endless', 'features', 'endless', 32632);
    INSERT INTO gpkg_geometry_columns VALUES ('endless', 'geom', 'POINT', 32632, 0, 0);
    DELETE FROM gpkg_geometry_columns WHERE table_name = '${table}';
    DELETE FROM gpkg_contents WHERE table_name = '${table}'`)
  db.close()
}
