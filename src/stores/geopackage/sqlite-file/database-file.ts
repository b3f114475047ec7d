import { pageBytes, SqlitePageFile } from './page-file.ts'
import { SqliteTableWriter } from './table-writer.ts'
import { writeVarint } from './varint.ts'

const magic = 'SQLite format 3\0'
const headerBytes = 100
const encoder = new TextEncoder()

interface WrittenTable {
  name: string
  /** The equivalent CREATE statement. */
  sql: string
  writer: SqliteTableWriter
}

/**
 * A new SQLite database of rowid tables without indexes, written at disk speed: for staging, where nothing is
 * read before all is written. Open it with SQLite after `finish`. The caller must call `close`.
 */
export class DatabaseFile {
  readonly #file: SqlitePageFile
  readonly #tables: WrittenTable[] = []

  constructor(path: string) {
    this.#file = new SqlitePageFile(path)
  }

  /** Adds a table to write; several tables may be written alternately. */
  table(name: string, columns: string): SqliteTableWriter {
    const writer = new SqliteTableWriter(this.#file)
    this.#tables.push({ name, sql: `CREATE TABLE ${name}(${columns})`, writer })
    return writer
  }

  finish(): void {
    const rows = this.#tables.map(({ name, sql, writer }) => schemaRecord(name, sql, writer.finish()))
    this.#file.finish(firstPage(rows))
  }

  close(): void {
    this.#file.close()
  }
}

/** Encodes a row of `sqlite_schema`: type, name, tbl_name, rootpage, sql (section 2.6). */
function schemaRecord(name: string, sql: string, rootPage: number): Uint8Array {
  const texts = [encoder.encode('table'), encoder.encode(name), encoder.encode(name), encoder.encode(sql)]
  const [type, label, table, statement] = texts as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const record = new Uint8Array(64 + type.length + 2 * label.length + statement.length)
  let at = 1
  for (const text of [type, label, table]) at = writeVarint(record, at, text.length * 2 + 13)
  record[at] = 4
  at = writeVarint(record, at + 1, statement.length * 2 + 13)
  record[0] = at
  for (const text of [type, label, table]) {
    record.set(text, at)
    at += text.length
  }
  new DataView(record.buffer).setUint32(at, rootPage)
  record.set(statement, at + 4)
  return record.subarray(0, at + 4 + statement.length)
}

/** Returns the database header (section 1.3) and the leaf of `sqlite_schema`. */
function firstPage(records: Uint8Array[]): Uint8Array {
  const page = new Uint8Array(pageBytes)
  const view = new DataView(page.buffer)
  page.set(encoder.encode(magic))
  view.setUint16(16, pageBytes)
  page.set([1, 1, 0, 64, 32, 32], 18)
  view.setUint32(24, 1)
  view.setUint32(40, 1)
  view.setUint32(44, 4)
  view.setUint32(56, 1)
  view.setUint32(92, 1)
  view.setUint8(headerBytes, 13)
  view.setUint16(headerBytes + 3, records.length)
  let start = pageBytes
  records.forEach((record, index) => {
    const head = new Uint8Array(16)
    const headEnd = writeVarint(head, writeVarint(head, 0, record.length), index + 1)
    start -= headEnd + record.length
    if (start < headerBytes + 8 + 2 * records.length) throw new Error('Too many columns for a staging file')
    page.set(head.subarray(0, headEnd), start)
    page.set(record, start + headEnd)
    view.setUint16(headerBytes + 8 + index * 2, start)
  })
  view.setUint16(headerBytes + 5, start)
  return page
}
