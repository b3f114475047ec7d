import { extname } from 'node:path'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { matchCrs } from '../../geo/crs-database.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { asciiText } from '../../lib/decimal.ts'
import type { DataFile, Format, LayerDescription, Message, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { readDump, readDumpHeader } from './dump-reader.ts'
import { checkEnd } from './file-end.ts'
import type { GdalDriver } from './gdal-drivers.ts'
import { gdalDrivers, isRedirection } from './gdal-drivers.ts'
import type { GdalSource } from './gdal-programs.ts'
import { withGdalSource } from './gdal-programs.ts'
import type { OgrLayer } from './ogrinfo.ts'
import { parseOgrInfo } from './ogrinfo.ts'
import { surveyGeometries } from './survey-geometries.ts'

const maxLayers = 1000

function detect(driver: GdalDriver, file: DataFile, head: Uint8Array): boolean {
  const text = asciiText(head, 0, head.length)
  if (isRedirection(text)) return false
  const extension = extname(file.path).slice(1).toLowerCase()
  if (driver.extensions.includes(extension)) return driver.suits(text)
  return driver.isUnmistakable?.(text) ?? false
}

function declared(wkt: string | undefined): CrsDeclaration | undefined {
  if (wkt === undefined) return undefined
  const srs = matchCrs({ wkt })
  return srs === undefined ? { wkt } : { srs, wkt }
}

async function* describeLayers(source: GdalSource, signal: AbortSignal): AsyncGenerator<LayerDescription> {
  const found = parseOgrInfo(await source.info(['-so', '-al'], []))
  const filled = found.filter(({ featureCount }) => featureCount !== 0)
  const layers = filled.length > 0 ? filled : found
  if (layers.length > maxLayers) {
    throw new FormatError(`The file has ${layers.length} layers; at most ${maxLayers} are read`, {
      code: 'too-large',
    })
  }
  for (const layer of layers)
    if (!layer.name.startsWith('-')) yield await describeLayer(source, layer, signal)
}

async function describeLayer(
  source: GdalSource,
  layer: OgrLayer,
  signal: AbortSignal,
): Promise<LayerDescription> {
  const { schema, geometryCount } = await readDumpHeader(source.dump(layer.name))
  const messages: Message[] = []
  if (geometryCount > 1) {
    const message = `Layer "${layer.name}" has ${geometryCount} geometries for each feature; the first is read`
    messages.push({ level: 'warning', code: 'geometry-dropped', message })
  }
  const description: LayerDescription = { name: layer.name, schema, messages }
  if (layer.featureCount !== undefined) description.featureCount = layer.featureCount
  const { geometry } = schema
  if (geometry === undefined) return description
  if (layer.envelope !== undefined) description.envelope = layer.envelope
  const shape =
    geometry.type === 'Geometry'
      ? await surveyGeometries(readDump(source.dump(layer.name, 'XYZM'), schema, signal))
      : {}
  const name = geometry.name === 'wkb_geometry' ? 'geom' : geometry.name
  description.schema = { ...schema, geometry: { ...geometry, ...shape, name, crs: declared(layer.wkt) } }
  return description
}

/** GDAL's word for the dimensions of a geometry. */
function dimensionsOf(geometry: GeometryField | undefined): string | undefined {
  return geometry && `XY${geometry.hasZ ? 'Z' : ''}${geometry.hasM ? 'M' : ''}`
}

async function* describeFile(
  file: DataFile,
  driver: GdalDriver,
  signal: AbortSignal,
): AsyncGenerator<LayerDescription> {
  await checkEnd(file.path, driver)
  yield* withGdalSource(file, driver, signal, (source) => describeLayers(source, signal))
}

function toFormat(driver: GdalDriver): Format {
  return {
    name: driver.name,
    kind: 'vector',
    extensions: driver.extensions,
    canServeDirectly: false,
    detect: (file, head) => detect(driver, file, head),
    describe: async (file: DataFile, { signal }: ReadContext) => {
      const layers: LayerDescription[] = []
      for await (const layer of describeFile(file, driver, signal)) layers.push(layer)
      return layers
    },
    read: (file: DataFile, layer: LayerDescription, { signal }: ReadContext): AsyncIterable<FeatureBatch> =>
      withGdalSource(file, driver, signal, (source) =>
        readDump(source.dump(layer.name, dimensionsOf(layer.schema.geometry)), layer.schema, signal),
      ),
  }
}

/** What GDAL's vector drivers read, one format a driver; to stand behind the own readers in the registry. */
export const gdalFormats: readonly Format[] = gdalDrivers.map(toFormat)
