import type { FileTerms } from './terms.ts'
import { termMembers } from './terms.ts'

/**
 * Fields of a header in the order of its vtable (FlatGeobuf, header.fbs), with their offsets from the start
 * of the new table.
 */
const fields = [
  { at: 4, kind: 'reference' }, // name
  { at: 16, kind: 'reference' }, // envelope
  { at: 42, kind: 'uint8' }, // geometry_type
  { at: 43, kind: 'uint8' }, // has_z
  { at: 44, kind: 'uint8' }, // has_m
  { at: 45, kind: 'uint8' }, // has_t
  { at: 46, kind: 'uint8' }, // has_tm
  { at: 20, kind: 'reference' }, // columns
  { at: 8, kind: 'uint64' }, // features_count
  { at: 40, kind: 'uint16' }, // index_node_size
  { at: 24, kind: 'reference' }, // crs
] as const
/** Offsets of title, description and metadata, which follow. */
const texts = [28, 32, 36]
const vtableBytes = 4 + 2 * (fields.length + texts.length)
const tableBytes = 48
/** The table follows the root offset, at a multiple of eight in the file, as its count requires. */
const vtableAt = 4
const tableAt = vtableAt + vtableBytes

/**
 * Returns a header, without its size, with additional layer metadata: a new table before the old bytes, which
 * it refers to. The length of the inserted bytes preserves the alignment.
 */
export function writeMetadataToHeader(old: Uint8Array, terms: FileTerms): Uint8Array<ArrayBuffer> {
  const members = termMembers(terms)
  const reported = [terms.title, terms.abstract, members && JSON.stringify(members)].map((text) =>
    text === undefined || text === '' ? undefined : Buffer.from(text),
  )
  const room = reported.reduce((sum, text) => sum + (text === undefined ? 0 : textBytes(text)), 0)
  const before = Math.ceil((tableAt + tableBytes + room) / 8) * 8
  const header = new Uint8Array(before + old.length)
  header.set(old, before)
  const view = new DataView(header.buffer)
  view.setUint32(0, tableAt, true)
  view.setUint16(vtableAt, vtableBytes, true)
  view.setUint16(vtableAt + 2, tableBytes, true)
  view.setInt32(tableAt, tableAt - vtableAt, true)
  copyFields(view, before)
  let end = tableAt + tableBytes
  for (const [index, text] of reported.entries()) {
    const at = texts[index] ?? 0
    if (text === undefined) continue
    view.setUint16(entryOf(fields.length + index), at, true)
    view.setUint32(tableAt + at, end - tableAt - at, true)
    view.setUint32(end, text.length, true)
    header.set(text, end + 4)
    end += textBytes(text)
  }
  return header
}

/** Its length, its bytes and a zero, padded to a multiple of four. */
function textBytes(text: Uint8Array): number {
  return Math.ceil((4 + text.length + 1) / 4) * 4
}

function entryOf(field: number): number {
  return vtableAt + 4 + 2 * field
}

/** Copies fields of the old table, which has moved by this many bytes, to the new one. */
function copyFields(view: DataView, before: number): void {
  const table = before + view.getUint32(before, true)
  const vtable = table - view.getInt32(table, true)
  const size = view.getUint16(vtable, true)
  for (const [index, { at, kind }] of fields.entries()) {
    const entry = 4 + 2 * index
    const offset = entry < size ? view.getUint16(vtable + entry, true) : 0
    if (offset === 0) continue
    view.setUint16(entryOf(index), at, true)
    const [from, to] = [table + offset, tableAt + at]
    if (kind === 'uint8') view.setUint8(to, view.getUint8(from))
    else if (kind === 'uint16') view.setUint16(to, view.getUint16(from, true), true)
    else if (kind === 'uint64') view.setBigUint64(to, view.getBigUint64(from, true), true)
    else view.setUint32(to, from + view.getUint32(from, true) - to, true)
  }
}
