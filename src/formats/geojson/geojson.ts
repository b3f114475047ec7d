import type { FeatureBatch } from '../../geo/batch.ts'
import type { DataFile, Format, LayerDescription, ReadContext } from '../format.ts'
import { describeGeoJson } from './describe.ts'
import { isGeoJson } from './detect.ts'
import { newlineExtensions } from './document.ts'
import { FeatureReader } from './feature-reader.ts'
import { JsonSource } from './json-source.ts'
import { walkRecords } from './walk.ts'

/** GeoJSON (RFC 7946, and the `crs` member of GeoJSON 2008), newline-delimited GeoJSON and text sequences (RFC 8142). */
export const geojson: Format = {
  name: 'GeoJSON',
  kind: 'vector',
  extensions: ['geojson', 'json', 'geojsonl', 'geojsons', 'geojsonseq', 'ndgeojson', 'ndjson', 'jsonl'],
  mediaTypes: {
    'application/geo+json': ['geojson', 'json'],
    'application/vnd.geo+json': ['geojson', 'json'],
    'application/json': ['json', 'geojson'],
  },
  canServeDirectly: false,
  writesRowsAs: 'geojson',
  detect: (file, head) => isGeoJson(head, newlineExtensions.test(file.path)),
  describe: describeGeoJson,
  read: readGeoJson,
}

async function* readGeoJson(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
): AsyncGenerator<FeatureBatch> {
  const source = await JsonSource.open(file.path, context.signal)
  try {
    const reader = new FeatureReader(source.scanner, layer.schema)
    for await (const _ of walkRecords(file, source, reader)) {
      yield reader.takeBatch()
      context.signal.throwIfAborted()
    }
    if (!reader.isEmpty) yield reader.takeBatch()
  } finally {
    await source.close()
  }
}
