import type { ImportRecord } from './task-record.ts'

/** A finished import without the password that its data were fetched with. */
export function withoutPassword(record: ImportRecord): ImportRecord {
  if (record.source?.remote?.sealedPassword === undefined) return record
  const { sealedPassword: _password, ...remote } = record.source.remote
  return { ...record, source: { ...record.source, remote } }
}
