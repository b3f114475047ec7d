import type { TSchema } from 'typebox'
import { ownValue } from '../../core/values/record-keys.ts'

/** Descriptions of parameters that mean the same everywhere, for schemas that have none. */
const texts: Record<string, string> = {
  z: 'Zoom of a tile; 0 shows the whole world',
  x: 'Column of a tile, counted from the west',
  y: 'Row of a tile, counted from the north (of TMS from the south)',
  name: 'Name of the resource',
  id: 'Id of the resource, a whole number',
  store: 'Name of a store of the workspace',
  workspace: 'Name of a workspace',
  attribute: 'Name of an attribute of the layer',
  limit: 'Maximum number of items in the response',
  offset: 'Number of items that are skipped',
  SERVICE: 'Requested service: `WMS`, `WFS`, `WCS` or `WMTS`',
  VERSION: 'Version of the service; default the newest',
  REQUEST: 'Operation of the service, such as `GetCapabilities`',
  tileMatrixSet: 'Id of a tile matrix set, such as `EPSG:3857`',
  tileMatrix: 'Id of a tile matrix, which is its zoom',
  j: 'Row of a pixel of the tile, counted from the top',
  i: 'Column of a pixel of the tile, counted from the left',
}

/** The schema of parameters with a description for each; it is copied where something is added. */
export function describeParameters<Schema extends TSchema | undefined>(schema: Schema): Schema {
  const properties: unknown = Object(schema).properties
  if (typeof properties !== 'object' || properties === null) return schema
  const described = Object.entries(properties).map(([name, one]) => {
    const text = ownValue(texts, name)
    const isDescribed = text === undefined || Object(one).description !== undefined
    return [name, isDescribed ? one : { ...Object(one), description: text }] as const
  })
  return { ...schema, properties: Object.fromEntries(described) } as Schema
}
