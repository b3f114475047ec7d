import type { DatabaseSync } from 'node:sqlite'
import { escapeXml } from '../../core/text/escape.ts'
import type { FileTerms } from './terms.ts'
import { namedTerms } from './terms.ts'

/** The extension Metadata (OGC 12-128r18, annex F.8), whose tables GDAL and QGIS read. */
const tables = `
CREATE TABLE gpkg_metadata (
  id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL,
  md_scope TEXT NOT NULL DEFAULT 'dataset',
  md_standard_uri TEXT NOT NULL,
  mime_type TEXT NOT NULL DEFAULT 'text/xml',
  metadata TEXT NOT NULL DEFAULT ''
);
CREATE TABLE gpkg_metadata_reference (
  reference_scope TEXT NOT NULL,
  table_name TEXT,
  column_name TEXT,
  row_id_value INTEGER,
  timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  md_file_id INTEGER NOT NULL,
  md_parent_id INTEGER,
  CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
  CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id)
);
INSERT INTO gpkg_extensions (table_name, column_name, extension_name, definition, scope) VALUES
  ('gpkg_metadata', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec121/#extension_metadata', 'read-write'),
  ('gpkg_metadata_reference', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec121/#extension_metadata', 'read-write');
`

/** The extension Schema (OGC 12-128r18, annex F.9), whose titles of columns GDAL and QGIS show as aliases. */
const schemaTables = `
CREATE TABLE gpkg_data_columns (
  table_name TEXT NOT NULL,
  column_name TEXT NOT NULL,
  name TEXT,
  title TEXT,
  description TEXT,
  mime_type TEXT,
  constraint_name TEXT,
  CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name),
  CONSTRAINT gdc_tn UNIQUE (table_name, name)
);
CREATE TABLE gpkg_data_column_constraints (
  constraint_name TEXT NOT NULL,
  constraint_type TEXT NOT NULL,
  value TEXT,
  min NUMERIC,
  min_is_inclusive BOOLEAN,
  max NUMERIC,
  max_is_inclusive BOOLEAN,
  description TEXT,
  CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value)
);
INSERT INTO gpkg_extensions (table_name, column_name, extension_name, definition, scope) VALUES
  ('gpkg_data_columns', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec121/#extension_schema', 'read-write'),
  ('gpkg_data_column_constraints', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec121/#extension_schema', 'read-write');
`

/** Title of a column and its name in the file. */
export interface ColumnTitle {
  column: string
  title: string
}

/**
 * Writes titles of columns into a GeoPackage with one table. The column `name`, which GDAL reads, must be
 * unique, so repeated titles get none.
 */
export function tellTitlesInGeoPackage(db: DatabaseSync, titles: readonly ColumnTitle[]): void {
  if (titles.length === 0) return
  const { name } = db.prepare('SELECT table_name AS name FROM gpkg_contents').get() ?? {}
  db.exec('BEGIN')
  db.exec(schemaTables)
  const add = db.prepare(
    'INSERT INTO gpkg_data_columns (table_name, column_name, name, title) VALUES (?, ?, ?, ?)',
  )
  const taken = new Set<string>()
  for (const { column, title } of titles) {
    add.run(String(name), column, taken.has(title) ? null : title, title)
    taken.add(title)
  }
  db.exec('COMMIT')
}

/** Writes the metadata of a layer into a GeoPackage with one table: as its description, and in the forms of GDAL and QGIS. */
export function writeMetadataToGeoPackage(db: DatabaseSync, terms: FileTerms): void {
  const description = terms.abstract ?? ''
  db.prepare('UPDATE gpkg_contents SET description = ?').run(description)
  if (namedTerms(terms).length === 0) return
  const { name } = db.prepare('SELECT table_name AS name FROM gpkg_contents').get() ?? {}
  db.exec('BEGIN')
  db.exec(tables)
  const add = db.prepare(
    `INSERT INTO gpkg_metadata (md_scope, md_standard_uri, mime_type, metadata) VALUES ('dataset', ?, 'text/xml', ?)`,
  )
  const refer = db.prepare(
    `INSERT INTO gpkg_metadata_reference (reference_scope, table_name, md_file_id) VALUES ('table', ?, ?)`,
  )
  for (const [standard, text] of [
    ['http://gdal.org', gdalMetadata(terms)],
    ['http://mrcc.com/qgis.dtd', qgisMetadata(terms)],
  ] as const)
    refer.run(String(name), add.run(standard, text).lastInsertRowid)
  db.exec('COMMIT')
}

function gdalMetadata(terms: FileTerms): string {
  const items = namedTerms(terms).map(
    ([name, text]) => `<MDI key="${name.toUpperCase()}">${escapeXml(text)}</MDI>`,
  )
  return `<GDALMultiDomainMetadata><Metadata>${items.join('')}</Metadata></GDALMultiDomainMetadata>`
}

function qgisMetadata({ title, abstract = '', attribution, licence, contact, owner }: FileTerms): string {
  const element = (name: string, text: string | undefined): string =>
    text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`
  const person = (name: string | undefined, role: string): string =>
    name === undefined ? '' : `<contact>${element('name', name)}${role}</contact>`
  const people = person(contact, '') + person(owner, '<role>owner</role>')
  const texts = [element('type', 'dataset'), element('title', title), element('abstract', abstract), people]
  return `<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'><qgis version="3.22">${texts.join('')}${element('rights', attribution)}${element('license', licence)}</qgis>`
}
