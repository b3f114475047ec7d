import type { FeatureBatch } from '../../geo/batch.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { matchCrs } from '../../geo/crs-database.ts'
import type { AttributeType, GeometryField, GeometryType, Schema } from '../../geo/schema.ts'
import type { DataFile, Format, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { FormatError, namesOf } from '../format.ts'
import { readDeclaredTypes } from './declared-types.ts'
import { detectGdal } from './detect.ts'
import type { DumpOptions } from './dump-header.ts'
import { readDumpHeader, readGdalDump } from './dump-reader.ts'
import { withFieldDomains } from './field-domains.ts'
import { checkEnd } from './file-end.ts'
import type { GdalDriver } from './gdal-drivers.ts'
import { gdalDrivers, sqliteDriver } from './gdal-drivers.ts'
import type { GdalSource } from './gdal-programs.ts'
import { withGdalSource } from './gdal-programs.ts'
import type { OgrLayer } from './ogrinfo.ts'
import { parseOgrInfo } from './ogrinfo.ts'
import { findDoubts } from './sqlite-doubts.ts'
import { LayerSurvey } from './survey.ts'

const maxLayers = 1000

function declared(wkt: string | undefined): CrsDeclaration | undefined {
  if (wkt === undefined) return undefined
  const srs = matchCrs({ wkt })
  return srs === undefined ? { wkt } : { srs, wkt }
}

/** Attribute types that a file declares, for attributes that GDAL reads as text. */
type DeclaredTypes = ReadonlyMap<string, AttributeType>

/** Yields the layers of an open source. */
export async function* describeLayers(
  source: GdalSource,
  driver: GdalDriver,
  signal: AbortSignal,
  declared?: DeclaredTypes,
): AsyncGenerator<LayerDescription> {
  const found = parseOgrInfo(await source.info(['-so', '-al'], []))
  const known = driver.hasHeaderRow === true ? found.filter((layer) => !isHeaderOnly(layer)) : found
  if (known.length > maxLayers) {
    throw new FormatError(`The file has ${known.length} layers; at most ${maxLayers} are read`, {
      code: 'too-large',
    })
  }
  const isSomeFilled = known.some(({ featureCount }) => featureCount !== 0)
  const layers: LayerDescription[] = []
  for (const layer of known) {
    if (layer.name.startsWith('-') || (isSomeFilled && layer.featureCount === 0)) continue
    layers.push(await describeLayer(source, driver, layer, { signal, declared }))
  }
  const filled = layers.filter(({ featureCount }) => featureCount !== 0)
  yield* filled.length > 0 ? filled : layers
}

/** GDAL treats the only row of a table as values in any case, and generates names for its columns. */
function isHeaderOnly({ featureCount, firstField }: OgrLayer): boolean {
  return featureCount === 1 && firstField === 'Field1'
}

/**
 * True if rows may have other geometry types; in SQLite those declared as a single type may be multi types,
 * unchecked.
 */
function isOpenType({ isSqlite }: GdalDriver, type: GeometryType | undefined): boolean {
  const isSingle = type === 'LineString' || type === 'Polygon' || type === 'Point'
  return type === 'Geometry' || (isSqlite === true && isSingle)
}

interface SurveyOptions {
  signal: AbortSignal
  declared?: DeclaredTypes
}

async function describeLayer(
  source: GdalSource,
  driver: GdalDriver,
  layer: OgrLayer,
  options: SurveyOptions,
): Promise<LayerDescription> {
  const identity = { isIdentity: (key: string) => key === layer.fidColumn }
  const { schema, geometryCount } = await readDumpHeader(source.dump(layer.name), identity)
  const messages: FormatMessage[] = []
  if (geometryCount > 1) {
    const message = `Layer "${layer.name}" has ${geometryCount} geometries for each feature; the first is read`
    messages.push({ level: 'warning', code: 'geometry-dropped', message })
  }
  const description: LayerDescription = { name: layer.name, schema, messages }
  if (layer.featureCount !== undefined) description.featureCount = layer.featureCount
  const isOpen = isOpenType(driver, schema.geometry?.type)
  const isUnknown = isOpen || driver.infersTypes === true || layer.featureCount === undefined
  const survey = isUnknown ? await surveyLayer(source, driver, layer, schema, options) : undefined
  if (survey !== undefined) description.featureCount = survey.rows
  const attributes = driver.infersTypes === true ? survey?.inferred(schema.attributes) : undefined
  if (attributes !== undefined) messages.push(...(survey?.messages(schema.attributes) ?? []))
  const described = await withFieldDomains(source, layer, attributes ?? schema.attributes)
  messages.push(...described.messages)
  description.schema = { ...schema, attributes: described.attributes }
  const { geometry } = schema
  if (geometry === undefined) return description
  if (layer.envelope !== undefined) description.envelope = layer.envelope
  const name = geometry.name === 'wkb_geometry' ? 'geom' : geometry.name
  const shape = isOpen ? survey?.shape : {}
  description.schema.geometry = { ...geometry, ...shape, name, crs: declared(layer.wkt) }
  return description
}

async function surveyLayer(
  source: GdalSource,
  driver: GdalDriver,
  { name }: OgrLayer,
  schema: Schema,
  { signal, declared }: SurveyOptions,
): Promise<LayerSurvey> {
  const survey = new LayerSurvey(schema, declared)
  const dimensions = isOpenType(driver, schema.geometry?.type) ? 'XYZM' : undefined
  const dump = source.dump(name, { dimensions, isLossKnown: driver.isSqlite === true })
  for await (const batch of readGdalDump(dump, schema, signal, identityOf(schema))) survey.add(batch)
  return survey
}

/** GDAL's name of the feature id if the source has no column for it. */
const plainKey = 'ogc_fid'

/**
 * Returns the identity column from the layer description; descriptions of an earlier version do not contain
 * it.
 */
function identityOf({ attributes }: Schema): DumpOptions {
  return {
    isIdentity: (key) =>
      attributes.some(({ name, isIdentity }) => name === key && (isIdentity === true || key !== plainKey)),
  }
}

/** Returns GDAL's name of the dimensions of a geometry. */
function dimensionsOf(geometry: GeometryField | undefined): string | undefined {
  return geometry && `XY${geometry.hasZ ? 'Z' : ''}${geometry.hasM ? 'M' : ''}`
}

/** Yields the rows of a layer of an open source, with the schema of its description. */
export async function* readLayer(
  source: GdalSource,
  driver: GdalDriver,
  { name, schema }: LayerDescription,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const doubts = driver.isSqlite === true ? await findDoubts(source, name, schema) : undefined
  const options = { ...identityOf(schema), ...(doubts && { doubts }) }
  const dimensions = dimensionsOf(schema.geometry)
  const dump = source.dump(name, { dimensions, isLossKnown: doubts !== undefined })
  yield* readGdalDump(dump, schema, signal, options)
}

async function* describeFile(
  file: DataFile,
  driver: GdalDriver,
  signal: AbortSignal,
): AsyncGenerator<LayerDescription> {
  await checkEnd(file.path, driver)
  const declared = driver.infersTypes === true ? await readDeclaredTypes(file) : undefined
  yield* withGdalSource(file, driver, signal, (source) => describeLayers(source, driver, signal, declared))
}

function toFormat(driver: GdalDriver): Format {
  return {
    name: driver.name,
    kind: 'vector',
    ...namesOf(driver),
    canServeDirectly: false,
    writtenByGdal: driver.written,
    detect: (file, head) => detectGdal(driver, file, head),
    describe: async (file: DataFile, { signal }: ReadContext) => {
      const layers: LayerDescription[] = []
      for await (const layer of describeFile(file, driver, signal)) layers.push(layer)
      return layers
    },
    read: (file: DataFile, layer: LayerDescription, { signal }: ReadContext): AsyncIterable<FeatureBatch> =>
      withGdalSource(file, driver, signal, (source) => readLayer(source, driver, layer, signal)),
  }
}

/** SQLite databases other than GeoPackages: with geometries of SpatiaLite or GDAL, or without. */
export const sqlite: Format = toFormat(sqliteDriver)

/**
 * Formats read by GDAL's vector drivers, one per driver; the registry lists them after the built-in readers.
 */
export const gdalFormats: readonly Format[] = gdalDrivers.map((driver) =>
  driver === sqliteDriver ? sqlite : toFormat(driver),
)
