import { ByteWindow } from '../byte-window.ts'
import type { OpenFile } from '../open-file.ts'
import { fileCode, findShapeType, shpHeaderBytes } from './shp-header.ts'

/** Bytes of an entry: offset and content length, both in 16-bit words, big-endian. */
export const shxEntryBytes = 8

/** Result of checking a .shx. */
export interface IndexCheck {
  /** `followed`: the index locates each record; with the other states records are read sequentially. */
  state: 'followed' | 'invalid' | 'stale'
  entries: number
  /** Bytes of the .shp after the last record in the index, if the entries ascend. */
  trailingBytes: number
}

/**
 * Decides whether the .shx is usable for reading the .shp. Ascending entries are usable if no further record
 * follows the last; other entries (a file edited in place contains replaced records) if each points to the
 * record with its number and length.
 */
export async function checkIndex(shx: OpenFile, shp: OpenFile): Promise<IndexCheck> {
  const entries = Math.max(0, Math.floor((shx.size - shpHeaderBytes) / shxEntryBytes))
  const index = ByteWindow.over(shx)
  const none = { entries, trailingBytes: 0 }
  if (!(await index.load(0, shpHeaderBytes)) || index.view.getInt32(0) !== fileCode) {
    return { ...none, state: 'invalid', entries: 0 }
  }
  const order = await checkEntries(index, entries, shp.size)
  if (typeof order === 'number') {
    const isStale = order < shp.size && (await isRecord(shp, order, entries + 1))
    if (isStale) return { ...none, state: 'stale' }
    return { ...none, state: 'followed', trailingBytes: shp.size - order }
  }
  if (order !== 'jumping') return { ...none, state: order }
  return { ...none, state: (await entriesMatchRecords(index, entries, shp)) ? 'followed' : 'stale' }
}

/**
 * True if there is a complete record with a number at an offset; or with any number, if its type is known.
 */
async function isRecord(shp: OpenFile, offset: number, number: number): Promise<boolean> {
  const records = ByteWindow.over(shp)
  if (!(await records.load(offset, 12))) return false
  const { view, at } = records
  const length = view.getUint32(at + 4) * 2
  if (length < 4 || offset + 8 + length > shp.size) return false
  return view.getUint32(at) === number || findShapeType(view.getInt32(at + 8, true)) !== undefined
}

/** Returns the end of the last record, if the entries ascend. */
async function checkEntries(
  index: ByteWindow,
  entries: number,
  shpBytes: number,
): Promise<number | 'jumping' | 'invalid'> {
  let expected = shpHeaderBytes
  let isInOrder = true
  for (let entry = 0; entry < entries; entry += 1) {
    const at = shpHeaderBytes + entry * shxEntryBytes
    if (!index.tryMove(at, shxEntryBytes) && !(await index.load(at, shxEntryBytes))) return 'invalid'
    const offset = index.view.getUint32(index.at) * 2
    const length = index.view.getUint32(index.at + 4) * 2
    if (offset === 0 && length === 0) {
      isInOrder = false
      continue
    }
    if (offset < shpHeaderBytes || offset + 8 + length > shpBytes) return 'invalid'
    if (offset !== expected) isInOrder = false
    expected = offset + 8 + length
  }
  return isInOrder ? expected : 'jumping'
}

async function entriesMatchRecords(index: ByteWindow, entries: number, shp: OpenFile): Promise<boolean> {
  const records = ByteWindow.over(shp)
  for (let entry = 0; entry < entries; entry += 1) {
    const at = shpHeaderBytes + entry * shxEntryBytes
    if (!index.tryMove(at, shxEntryBytes) && !(await index.load(at, shxEntryBytes))) return false
    const offset = index.view.getUint32(index.at) * 2
    if (offset === 0) continue
    if (!records.tryMove(offset, 8) && !(await records.load(offset, 8))) return false
    if (records.view.getUint32(records.at) !== entry + 1) return false
    if (records.view.getUint32(records.at + 4) !== index.view.getUint32(index.at + 4)) return false
  }
  return true
}
