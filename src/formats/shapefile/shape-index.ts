import { ByteWindow } from '../byte-window.ts'
import type { OpenFile } from '../open-file.ts'
import { fileCode, headerBytes } from './shp-header.ts'

/** Bytes of an entry: offset and content length, both in 16-bit words, big-endian. */
export const entryBytes = 8

/** How far a .shx can be followed. */
export interface IndexCheck {
  /** `followed` gives the place of each record; the other states mean that records are read one after the other. */
  state: 'followed' | 'invalid' | 'stale'
  entries: number
}

/**
 * Decides whether the .shx leads through the .shp. Entries that are in order and end with the file do; entries that
 * jump (a file edited in place keeps replaced records) do when each points at the record of its number and length.
 */
export async function checkIndex(shx: OpenFile, shp: OpenFile): Promise<IndexCheck> {
  const entries = Math.max(0, Math.floor((shx.size - headerBytes) / entryBytes))
  const index = ByteWindow.over(shx)
  if (!(await index.load(0, headerBytes)) || index.view.getInt32(0) !== fileCode) {
    return { state: 'invalid', entries: 0 }
  }
  const order = await checkEntries(index, entries, shp.size)
  if (order === 'in-order') return { state: 'followed', entries }
  if (order !== 'jumping') return { state: order, entries }
  return { state: (await entriesMatchRecords(index, entries, shp)) ? 'followed' : 'stale', entries }
}

async function checkEntries(
  index: ByteWindow,
  entries: number,
  shpBytes: number,
): Promise<'in-order' | 'jumping' | 'invalid' | 'stale'> {
  let expected = headerBytes
  let isInOrder = true
  for (let entry = 0; entry < entries; entry += 1) {
    const at = headerBytes + entry * entryBytes
    if (!index.tryMove(at, entryBytes) && !(await index.load(at, entryBytes))) return 'invalid'
    const offset = index.view.getUint32(index.at) * 2
    const length = index.view.getUint32(index.at + 4) * 2
    if (offset === 0 && length === 0) {
      isInOrder = false
      continue
    }
    if (offset < headerBytes || offset + 8 + length > shpBytes) return 'invalid'
    if (offset !== expected) isInOrder = false
    expected = offset + 8 + length
  }
  if (!isInOrder) return 'jumping'
  return expected === shpBytes ? 'in-order' : 'stale'
}

async function entriesMatchRecords(index: ByteWindow, entries: number, shp: OpenFile): Promise<boolean> {
  const records = ByteWindow.over(shp)
  for (let entry = 0; entry < entries; entry += 1) {
    const at = headerBytes + entry * entryBytes
    if (!index.tryMove(at, entryBytes) && !(await index.load(at, entryBytes))) return false
    const offset = index.view.getUint32(index.at) * 2
    if (offset === 0) continue
    if (!records.tryMove(offset, 8) && !(await records.load(offset, 8))) return false
    if (records.view.getUint32(records.at) !== entry + 1) return false
    if (records.view.getUint32(records.at + 4) !== index.view.getUint32(index.at + 4)) return false
  }
  return true
}
