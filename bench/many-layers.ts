import type { LayerDetails } from '../src/catalog/records.ts'
import { publishNewLayer } from '../src/catalog/rows/publication.ts'
import type { TestApp } from '../tests/support/app.ts'
import { seededRandom } from './random.ts'

function detailsOf(index: number, draw: () => number): LayerDetails {
  const words = ['Road', 'River', 'Parcel', 'Tree', 'Forest', 'Address', 'North', 'South', 'Old town']
  const word = (): string => words[Math.floor(draw() * words.length)] ?? ''
  const attributes = Array.from({ length: 20 }, (_, at) => ({
    name: `column_${(index * 7 + at) % 500}`,
    type: 'text' as const,
    example: 'an example of a value',
  }))
  const geometry = {
    name: 'geometry',
    type: 'MultiPolygon',
    hasZ: false,
    hasM: false,
    crs: undefined,
  } as const
  const [x, y] = [400_000 + draw() * 200_000, 5_400_000 + draw() * 200_000]
  return {
    kind: 'vector',
    title: `${word()} ${word()} ${index}`,
    abstract: `${word()} `.repeat(40),
    originalName: `layer_${index}`,
    srs: index % 2 === 0 ? 'EPSG:25832' : 'EPSG:4326',
    envelope:
      index % 2 === 0
        ? { minX: x, minY: y, maxX: x + 5000, maxY: y + 5000 }
        : { minX: 8, minY: 50, maxX: 9, maxY: 51 },
    schema: { attributes, geometry },
    style: 'polygon',
  }
}

/** Layers without data, as a large office has them. */
export async function fillCatalogue(server: TestApp, layers: number): Promise<void> {
  const draw = seededRandom(1)
  const store = await server.catalog.stores.getDefault('default')
  await server.database.transaction(async (db) => {
    for (let index = 0; index < layers; index += 1) {
      const name = `layer_${index}`
      const place = { workspace: 'default', name, storeId: store.id, nativeName: name }
      const how = { mode: 'CREATE', rowsLoaded: index }
      await publishNewLayer(db, { ...place, details: detailsOf(index, draw) }, new Date().toISOString(), how)
    }
  })
}
