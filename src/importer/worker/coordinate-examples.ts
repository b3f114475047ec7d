import type { LayerDescription } from '../../formats/format.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import { isCoordinateName } from '../../geo/coordinate-columns.ts'
import type { Schema } from '../../geo/schema.ts'

/** Layers of one description whose rows are looked at. */
const mostLayers = 100

/**
 * Layers without geometry with a value of each column that is called like a coordinate, so that it can be proposed as one, and
 * layers without a CRS with a value of each column, which may tell where they lie; of the first rows, where the format does not tell any. What cannot be read now is told when it is loaded.
 */
export async function withExamples(
  layers: readonly LayerDescription[],
  read: (layer: LayerDescription) => AsyncIterable<FeatureBatch>,
  signal: AbortSignal,
): Promise<LayerDescription[]> {
  const described = [...layers]
  let looks = 0
  for (const [at, layer] of layers.entries()) {
    if (!isWanting(layer) || looks >= mostLayers) continue
    looks += 1
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

/** Of data with a geometry and without a CRS every column may tell where they lie. */
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

const mostCharacters = 80

function firstValue(column: Column | undefined, rowCount: number): string | undefined {
  for (let row = 0; column !== undefined && row < rowCount; row += 1) {
    const value = columnValue(column, row)
    if (value !== null && value !== '' && !(value instanceof Uint8Array))
      return String(value).slice(0, mostCharacters)
  }
  return undefined
}
