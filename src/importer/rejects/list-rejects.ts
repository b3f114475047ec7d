import { csvLine } from '../../core/text/escape.ts'
import type { RejectLine } from '../../formats/reject-lines.ts'
import { hasRejects, readRejectLines } from '../../formats/reject-lines.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'

function geometryText({ wkb, geometry = null }: RejectLine): string {
  if (wkb === undefined) return JSON.stringify(geometry)
  try {
    return writeGeometryJson(Buffer.from(wkb, 'base64'))
  } catch {
    return 'null'
  }
}

function toFeature(line: RejectLine): string {
  const { row, field = null, value = null, reason, properties } = line
  const reported = { ...properties, _row: row, _field: field, _value: value, _reason: reason }
  const { code } = line
  const shown = JSON.stringify(code === undefined ? reported : { ...reported, _code: code })
  return `{"type":"Feature","id":${row},"geometry":${geometryText(line)},"properties":${shown}}`
}

/** Yields the rejected rows as a GeoJSON feature collection. */
async function* asFeatures(path: string, limit: number): AsyncGenerator<string> {
  yield '{"type":"FeatureCollection","features":['
  let rows = 0
  if (await hasRejects(path)) {
    for await (const line of readRejectLines(path)) {
      yield (rows === 0 ? '' : ',\n') + toFeature(line)
      rows += 1
      if (rows >= limit) break
    }
  }
  yield ']}\n'
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function propertyNames(path: string, signal: AbortSignal): Promise<string[]> {
  const names = new Set<string>()
  for await (const { properties } of readRejectLines(path)) {
    signal.throwIfAborted()
    for (const name of Object.keys(properties ?? {})) names.add(name)
  }
  return [...names]
}

/**
 * Yields the rejected rows as CSV: row, field, value and reason, then the attributes, then the geometry as
 * GeoJSON.
 */
async function* asTable(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const isAny = await hasRejects(path)
  const names = isAny ? await propertyNames(path, signal) : []
  yield csvLine(['_row', '_field', '_value', '_reason', ...names, '_geometry'])
  if (!isAny) return
  for await (const line of readRejectLines(path)) {
    const { row, field, value, reason, properties } = line
    const geometry = geometryText(line)
    const cells = [row, field, value, reason, ...names.map((name) => properties?.[name])]
    yield csvLine([...cells.map(toCell), geometry === 'null' ? '' : geometry])
  }
}

/** Output format of rejected rows. */
export type RejectListForm = 'csv' | 'geojson'

/** Options of a list of rejected rows; `limit`: maximum number of features. */
export interface RejectListOptions {
  form: RejectListForm
  limit?: number
}

const pieceLength = 1 << 16

/** Yields the rejected rows of a load in pieces. */
export async function* listRejects(
  path: string,
  { form, limit = Number.POSITIVE_INFINITY }: RejectListOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let waiting = ''
  for await (const text of form === 'csv' ? asTable(path, signal) : asFeatures(path, limit)) {
    waiting += text
    if (waiting.length < pieceLength) continue
    signal.throwIfAborted()
    yield Buffer.from(waiting)
    waiting = ''
  }
  if (waiting !== '') yield Buffer.from(waiting)
}
