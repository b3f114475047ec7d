import type { LayerDescription } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import { isCoordinateName } from '../../geo/coordinate-columns.ts'
import type { Schema } from '../../geo/schema.ts'

/** Maximum number of layers per file whose rows are read. */
const maxLayers = 100

/**
 * Adds example values from the first rows, if the format has not provided any: for layers without geometry a
 * value of each column with a coordinate-like name, so that it can be proposed as a coordinate; for layers
 * without a CRS a value of each column, which may indicate the location. Read errors are reported when the
 * layer is loaded.
 */
export async function withExamples(
  layers: readonly LayerDescription[],
  read: (layer: LayerDescription) => AsyncIterable<FeatureBatch>,
  signal: AbortSignal,
): Promise<LayerDescription[]> {
  const described = [...layers]
  let count = 0
  for (const [at, layer] of layers.entries()) {
    if (!isWanting(layer) || count >= maxLayers) continue
    count += 1
    try {
      for await (const batch of read(layer)) {
        described[at] = exampled(layer, batch)
        break
      }
    } catch {
      signal.throwIfAborted()
    }
  }
  return described
}

function isWanting({ raster, schema }: LayerDescription): boolean {
  if (raster !== undefined) return false
  return schema.attributes.some(({ name, example }) => example === undefined && isTelling(schema, name))
}

/**
 * True if a value of the column can help: any column of data with a geometry but no CRS may indicate the
 * location.
 */
function isTelling({ geometry }: Schema, name: string): boolean {
  return geometry === undefined ? isCoordinateName(name) : geometry.crs === undefined
}

function exampled(layer: LayerDescription, { columns, rowCount }: FeatureBatch): LayerDescription {
  const attributes = layer.schema.attributes.map((attribute, at) => {
    if (attribute.example !== undefined || !isTelling(layer.schema, attribute.name)) return attribute
    const example = firstValue(columns[at], rowCount)
    return example === undefined ? attribute : { ...attribute, example }
  })
  return { ...layer, schema: { ...layer.schema, attributes } }
}

const maxCharacters = 80

function firstValue(column: Column | undefined, rowCount: number): string | undefined {
  for (let row = 0; column !== undefined && row < rowCount; row += 1) {
    const value = columnValue(column, row)
    if (value !== null && value !== '' && !(value instanceof Uint8Array))
      return String(value).slice(0, maxCharacters)
  }
  return undefined
}
