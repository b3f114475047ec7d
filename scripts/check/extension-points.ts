import { formats } from '../../src/formats/registry.ts'
import { databaseReaders } from '../../src/inputs/database/registry.ts'
import { applicationMetrics, hostMetrics } from '../../src/monitoring/metrics/metrics.ts'
import { serviceTypes } from '../../src/monitoring/model/service-types.ts'
import { channels } from '../../src/monitoring/notify/channels/channels.ts'
import { comparisonNames } from '../../src/monitoring/notify/comparisons/comparisons.ts'
import { stores } from '../../src/stores/registry.ts'
import { rasterTransforms, vectorTransforms } from '../../src/transforms/registry.ts'
import type { ExtensionPoint } from './type-names.ts'

const monitoring = ['src/monitoring', 'src/api/rest/monitoring', 'src/app']
const importer = ['src/importer', 'src/api/rest/importer', 'src/catalog']
/** Module that translates names of GeoServer. */
const olderTransforms = 'src/api/compat/geoserver-importer.ts'

/**
 * Extension points whose entries only their own folder may distinguish by name; the names are those of the
 * registries.
 */
export const extensionPoints: readonly ExtensionPoint[] = [
  { entry: 'format', names: formats.map(({ name }) => name), home: ['src/formats', 'src/stores/rasters'] },
  { entry: 'store', names: stores.map(({ type }) => type), home: ['src/stores'] },
  {
    entry: 'transformation',
    names: [...vectorTransforms, ...rasterTransforms].map(({ type }) => type),
    home: ['src/transforms', olderTransforms],
  },
  {
    entry: 'metric',
    names: [...applicationMetrics, ...hostMetrics].map(({ name }) => name),
    home: ['src/monitoring/metrics'],
    within: monitoring,
  },
  {
    entry: 'channel',
    names: channels.flatMap(({ name, kinds, field }) => [name, ...kinds, field.name]),
    home: ['src/monitoring/notify/channels'],
    within: ['src/monitoring/notify', 'src/api/rest/monitoring/checks', 'src/app'],
  },
  {
    entry: 'comparison',
    names: comparisonNames,
    home: ['src/monitoring/notify/comparisons'],
    within: monitoring,
  },
  {
    entry: 'type of service',
    names: serviceTypes,
    home: ['src/monitoring/services', 'src/monitoring/model'],
    within: monitoring,
  },
  {
    entry: 'database',
    names: databaseReaders.map(({ type }) => type),
    home: ['src/inputs/database'],
    within: importer,
  },
  {
    entry: 'kind of task',
    names: ['vector', 'raster', 'mosaic'],
    home: ['src/importer/task-types'],
    within: ['src/importer'],
  },
]
