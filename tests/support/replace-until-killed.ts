import { commitLoad } from '../../src/stores/commit-load.ts'
import { createGeoPackageStore } from '../../src/stores/geopackage/geopackage-store.ts'
import { batchesOf, schemaOf, wkb } from './batches.ts'

/**
 * Replaces the table `layer` of a GeoPackage alternately by 2000 and by 3000 rows, until the process is
 * killed.
 */
const path = process.argv[2] ?? ''
const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
const schema = schemaOf({ name: 'text' }, 'Point')
const hooks = { signal: new AbortController().signal, onMessage: () => {}, onReject: () => {} }

for (let round = 0; ; round += 1) {
  const rows = Array.from({ length: round % 2 === 0 ? 2000 : 3000 }, (_, i) => ({
    geometry: wkb('Point', [i, i]),
    values: [`n${i}`],
  }))
  const request = { loadId: 'killed', mode: 'REPLACE', table: 'layer', schema, indexes: [] } as const
  if (round === 1) process.send?.('started')
  const staged = await store.stage({ ...request, indexes: [] }, batchesOf(schema, rows), hooks)
  await commitLoad(staged, () => Promise.resolve())
}
