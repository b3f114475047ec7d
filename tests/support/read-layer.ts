import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type {
  DataFile,
  Format,
  LayerDescription,
  ReadContext,
  ReadOptions,
} from '../../src/formats/format.ts'
import type { FeatureBatch, RejectedRow } from '../../src/geo/batch.ts'
import { writeGeometryText } from '../../src/geo/wkb-to-wkt.ts'
import { rowsOf, type Value } from './batches.ts'

/** A row as tests compare it: its number in the source, its geometry as WKT, its values. */
interface ReadRow {
  row: number
  geometry: string | null
  values: Value[]
}

export interface ReadLayer {
  layer: LayerDescription
  rows: ReadRow[]
  rejects: RejectedRow[]
}

/** Returns a main file with the files next to it that share its base name. */
export function dataFile(path: string): DataFile {
  const base = basename(path, extname(path))
  const sidecars: Record<string, string> = {}
  for (const name of readdirSync(dirname(path))) {
    if (name === basename(path) || !name.startsWith(`${base}.`)) continue
    sidecars[name.slice(base.length + 1).toLowerCase()] = join(dirname(path), name)
  }
  return { path, sidecars }
}

export function readContext(options: ReadOptions = {}): ReadContext {
  return { signal: new AbortController().signal, ...options }
}

/** Describes a file and reads one of its layers completely. */
export async function readLayer(
  format: Format,
  path: string,
  options: ReadOptions & { layer?: number } = {},
): Promise<ReadLayer> {
  const file = dataFile(path)
  const context = readContext(options)
  const layers = await format.describe(file, context)
  const layer = layers[options.layer ?? 0]
  if (layer === undefined) throw new Error(`${path} has ${layers.length} layers`)
  const read: ReadLayer = { layer, rows: [], rejects: [] }
  for await (const batch of format.read(file, layer, context)) addBatch(read, batch)
  return read
}

function addBatch(read: ReadLayer, batch: FeatureBatch): void {
  for (const [index, { geometry, values }] of rowsOf(batch).entries()) {
    const text = geometry === null ? null : writeGeometryText(geometry)
    read.rows.push({ row: batch.rowNumbers[index] ?? 0, geometry: text, values })
  }
  read.rejects.push(...batch.rejects)
}
