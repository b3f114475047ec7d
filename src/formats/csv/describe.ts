import { basename, extname } from 'node:path'
import { CellParser } from '../../core/values/cell-kind.ts'
import { isEmptyEnvelope } from '../../geo/envelope.ts'
import type { Attribute, AttributeType, GeometryField } from '../../geo/schema.ts'
import { curvesMessage } from '../column-messages.ts'
import type { DataFile, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { findCharset } from '../text/charset.ts'
import { ColumnType, offsetsMessage } from '../text/column-type.ts'
import { CsvSource, csvCellText, isBlankCell, unescapedCell } from './csv-source.ts'
import { findCellForm } from './geometry-cells.ts'
import { GeometrySurvey } from './geometry-survey.ts'
import { uniqueHeaders } from './headers.ts'
import type { RowScanner } from './row-scanner.ts'
import { escaped, quoted } from './row-scanner.ts'

const exampleLength = 80
const geometryNames = new Set(
  'wkt wkb ewkt ewkb geojson geom geometry the_geom wkb_geometry shape wkt_geom'.split(' '),
)

interface ColumnSurvey {
  /** Type of its cells without quotes. */
  type: ColumnType
  hasQuoted: boolean
  example: string | undefined
  geometry: GeometrySurvey | undefined
}

/** Survey of the rows of a file, column by column. */
class TableSurvey {
  readonly columns: ColumnSurvey[]
  rows = 0
  shortRows = 0
  /** True if a non-empty cell has no quotes. */
  #hasPlain = false
  readonly #scanner: RowScanner
  readonly #parser = new CellParser()

  constructor(scanner: RowScanner, count: number) {
    this.#scanner = scanner
    this.columns = Array.from({ length: count }, () => ({
      type: new ColumnType(),
      hasQuoted: false,
      example: undefined,
      geometry: undefined,
    }))
  }

  takeRow(): void {
    this.rows += 1
    const { cellCount, starts, ends } = this.#scanner
    const count = this.columns.length
    // Rows with too many cells are rejected when read, so they do not count for types.
    if (cellCount > count) return
    if (cellCount < count) this.shortRows += 1
    for (let cell = 0; cell < cellCount; cell += 1) if (starts[cell] !== ends[cell]) this.#takeCell(cell)
  }

  #takeCell(cell: number): void {
    const { bytes, starts, ends, flags } = this.#scanner
    const column = this.columns[cell] as ColumnSurvey
    const start = starts[cell] as number
    const end = ends[cell] as number
    if (column.example === undefined) {
      column.example = csvCellText(this.#scanner, cell).slice(0, exampleLength)
      const form = findCellForm(column.example)
      if (form !== undefined) column.geometry = new GeometrySurvey(form)
    }
    if (column.geometry !== undefined && !isBlankCell(bytes, start, end))
      this.#takeGeometry(column.geometry, cell)
    if (((flags[cell] as number) & quoted) === 0) this.#hasPlain = true
    else column.hasQuoted = true
    if (!column.type.isText) column.type.observe(this.#parser, bytes, start, end)
  }

  #takeGeometry(geometry: GeometrySurvey, cell: number): void {
    const { bytes, starts, ends, flags } = this.#scanner
    const start = starts[cell] as number
    const end = ends[cell] as number
    if (((flags[cell] as number) & escaped) === 0) geometry.observe(bytes, start, end)
    else {
      const plain = unescapedCell(bytes, start, end)
      geometry.observe(plain, 0, plain.length)
    }
  }

  /**
   * Returns the type of a column. If only some cells are quoted, quotes mean text; if all are quoted, quotes
   * are ignored.
   */
  typeOf({ type, hasQuoted }: ColumnSurvey): AttributeType {
    return hasQuoted && this.#hasPlain ? 'text' : type.type
  }

  /** Returns the geometry column: of the columns with geometries one with a usual name, else the first. */
  geometryIndex(names: readonly string[]): number {
    const isGeometry = (index: number, isMeant: boolean): boolean =>
      this.columns[index]?.geometry?.isGeometry(isMeant) === true
    const usual = names.findIndex(
      (name, index) => geometryNames.has(name.toLowerCase()) && isGeometry(index, true),
    )
    return usual >= 0 ? usual : names.findIndex((_, index) => isGeometry(index, false))
  }
}

/** Reads the whole file once to find its encoding, delimiter, columns with types, row count and bounds. */
export async function describeCsv(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const charset = await findCharset(file.path, context)
  const source = await CsvSource.open(file, charset.name, context.signal)
  try {
    const cells = await source.readHeader()
    const survey = new TableSurvey(source.scanner, cells.length)
    for (let step = source.next(); step !== 'end'; step = source.next()) {
      if (step === 'row') survey.takeRow()
      else await source.more()
    }
    const messages: FormatMessage[] = charset.message === undefined ? [] : [charset.message]
    return [layerOf(file, survey, cells, charset.name, messages)]
  } finally {
    await source.close()
  }
}

function layerOf(
  file: DataFile,
  survey: TableSurvey,
  cells: readonly string[],
  charset: string,
  messages: FormatMessage[],
): LayerDescription {
  const names = uniqueHeaders(cells, messages)
  const geometryIndex = survey.geometryIndex(names)
  const attributes: Attribute[] = []
  for (const [index, column] of survey.columns.entries()) {
    if (index === geometryIndex) continue
    const attribute: Attribute = {
      name: names[index] as string,
      type: survey.typeOf(column),
      source: cells[index] as string,
    }
    if (column.example !== undefined) attribute.example = column.example
    if (column.geometry !== undefined && geometryIndex < 0)
      tellUnused(attribute.name, column.geometry, messages)
    if (attribute.type === 'timestamp' && column.type.losesOffsets)
      messages.push(offsetsMessage(attribute.name))
    attributes.push(attribute)
  }
  if (survey.shortRows > 0) {
    const message = `${survey.shortRows} rows have fewer cells than the header: what is missing is null`
    messages.push({ level: 'warning', code: 'short-rows', message })
  }
  const layer: LayerDescription = {
    name: basename(file.path, extname(file.path)),
    schema: { attributes, geometry: undefined },
    featureCount: survey.rows,
    charset,
    messages,
  }
  const geometry = survey.columns[geometryIndex]?.geometry
  if (geometry !== undefined) addGeometry(layer, names[geometryIndex] as string, geometry)
  return layer
}

function tellUnused(name: string, { form, seen, bad }: GeometrySurvey, messages: FormatMessage[]): void {
  if (seen.count === 0) return
  const message = `"${name}" is loaded as text: ${bad} of its ${seen.count + bad} cells cannot be read as ${form}`
  messages.push({ level: 'warning', code: 'wkt-not-used', message })
}

function addGeometry(layer: LayerDescription, name: string, survey: GeometrySurvey): void {
  survey.foldEnvelopes()
  const { form, seen, crs } = survey
  const geometry: GeometryField = { name, type: seen.type, hasZ: seen.withZ > 0, hasM: seen.withM > 0, crs }
  layer.schema.geometry = geometry
  if (!isEmptyEnvelope(survey.envelope)) layer.envelope = survey.envelope
  if (survey.bad > 0) {
    const message = `${survey.bad} cells of "${name}" cannot be read as ${form}: their rows are rejected`
    layer.messages.push({ level: 'warning', code: 'bad-wkt', message })
  }
  if (survey.curves > 0) layer.messages.push(curvesMessage(name, survey.curves))
  if (survey.hasSeveralSrids) {
    const message = `The cells of "${name}" name several SRIDs: none is taken`
    layer.messages.push({ level: 'warning', code: 'several-srids', message })
  }
}
