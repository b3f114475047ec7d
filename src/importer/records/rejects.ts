import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { csvLine } from '../../lib/text/csv-line.ts'

interface RejectLine {
  row: number
  field?: string
  value?: string
  reason: string
  properties?: Record<string, unknown>
  geometry?: object | null
}

/** Whether a load has left rejected rows. */
async function hasRejects(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

async function* readLines(path: string): AsyncGenerator<RejectLine> {
  const input = createReadStream(path, 'utf8')
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== '') yield JSON.parse(line) as RejectLine
    }
  } finally {
    input.destroy()
  }
}

function toFeature({ geometry = null, properties, ...facts }: RejectLine): string {
  const { row, field, value, reason } = facts
  return JSON.stringify({
    type: 'Feature',
    id: row,
    geometry,
    properties: { ...properties, _row: row, _field: field ?? null, _value: value ?? null, _reason: reason },
  })
}

/** The rejected rows as a GeoJSON feature collection, piece by piece. */
export async function* rejectsAsGeoJson(path: string): AsyncGenerator<string> {
  yield '{"type":"FeatureCollection","features":['
  let separator = ''
  if (await hasRejects(path)) {
    for await (const line of readLines(path)) {
      yield separator + toFeature(line)
      separator = ',\n'
    }
  }
  yield ']}\n'
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function propertyNames(path: string): Promise<string[]> {
  const names = new Set<string>()
  for await (const { properties } of readLines(path))
    for (const name of Object.keys(properties ?? {})) names.add(name)
  return [...names]
}

/** The rejected rows as CSV: row, field, value and reason, then the attributes, then the geometry as GeoJSON. */
export async function* rejectsAsCsv(path: string): AsyncGenerator<string> {
  const isAny = await hasRejects(path)
  const names = isAny ? await propertyNames(path) : []
  yield csvLine(['_row', '_field', '_value', '_reason', ...names, '_geometry'])
  if (!isAny) return
  for await (const { row, field, value, reason, properties, geometry } of readLines(path)) {
    const cells = [row, field, value, reason, ...names.map((name) => properties?.[name]), geometry]
    yield csvLine(cells.map(toCell))
  }
}
