import type { Call } from '../../api/client.ts'

/** A rejected row, with the values of its source. */
export interface RejectedRow {
  type: 'Feature'
  geometry: object | null
  properties: Record<string, unknown> & {
    _row: number
    _field: string | null
    _value: string | null
    _reason: string
  }
}

export interface RejectedRows {
  features: RejectedRow[]
}

const reasonColumns = new Set(['_code', '_field', '_value', '_reason'])

/** Returns the row with another text in the rejected field, in the format for sending. */
export function withValue({ type, geometry, properties }: RejectedRow, text: string): object {
  const own = Object.entries(properties).filter(([name]) => !reasonColumns.has(name))
  const { _field } = properties
  return {
    type,
    geometry,
    properties: { ...Object.fromEntries(own), ...(_field === null ? {} : { [_field]: text }) },
  }
}

/** Sends rows again; their coordinates are in the CRS of the task. */
export function sendCall(taskPath: string, features: object[], srs: string | undefined): Call {
  const crs = srs === undefined ? {} : { crs: { type: 'name', properties: { name: srs } } }
  return {
    method: 'POST',
    path: `${taskPath}/rejects`,
    query: { async: true, name: 'corrected.geojson' },
    headers: { 'content-type': 'application/geo+json' },
    body: JSON.stringify({ type: 'FeatureCollection', ...crs, features }),
  }
}
