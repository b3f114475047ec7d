import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import { geometryToJson, idToJson, propertiesToJson } from '../../geo/feature-json.ts'
import type { GeometryType, Schema } from '../../geo/schema.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { dateText, timestampText } from '../../geo/time-text.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from './feature-format.ts'
import { WrittenText } from './feature-format.ts'

const classes = 'http://www.opengis.net/spec/json-fg-1/1.0/conf'
const conformsTo = [`${classes}/core`, `${classes}/types-schemas`]
const crs84 = /[/:]CRS84$/
/** CRS84 with heights. */
const crs84h = 'http://www.opengis.net/def/crs/OGC/0/CRS84h'

const dimensionOf: Partial<Record<GeometryType, number>> = {
  Point: 0,
  MultiPoint: 0,
  LineString: 1,
  MultiLineString: 1,
  Polygon: 2,
  MultiPolygon: 2,
}

/** Members of the root object. */
function rootOf({ name, collection, crs, isSingle }: WrittenAbout, { geometry }: Schema): object {
  const isDegrees = crs !== undefined && crs84.test(crs.uri)
  const dimension = geometry === undefined ? undefined : dimensionOf[geometry.type]
  return {
    conformsTo,
    featureType: name,
    featureSchema: `${collection}/schema`,
    coordRefSys: crs === undefined ? undefined : isDegrees && geometry?.hasZ === true ? crs84h : crs.uri,
    geometryDimension: dimension === undefined || isSingle === true ? undefined : dimension,
  }
}

/** The standard allows neither points without coordinates nor lines without points. */
function isWithoutPlace(geometry: string): boolean {
  return geometry.endsWith('"coordinates":[]}') && /^\{"type":"(?:Point|LineString)"/.test(geometry)
}

class JsonFgWriter extends WrittenText implements FeatureWriter {
  readonly #about: WrittenAbout
  readonly #root: string
  readonly #isPlace: boolean
  readonly #isYx: boolean
  readonly #time: number
  #separator = ''

  constructor(about: WrittenAbout, schema: Schema) {
    super()
    this.#about = about
    this.#isYx = about.crs?.isYx === true
    this.#isPlace = about.crs !== undefined && !crs84.test(about.crs.uri)
    this.#time = about.timeAttribute === undefined ? -1 : attributeIndex(schema, about.timeAttribute)
    this.#root = JSON.stringify(rootOf(about, schema)).slice(1, -1)
    if (about.isSingle !== true) this.text = `{"type":"FeatureCollection",${this.#root},"features":[`
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const written = geometryToJson(batch, row, this.#isYx)
    const geometry = isWithoutPlace(written) ? 'null' : written
    const places = this.#isPlace
      ? `"place":${geometry},"geometry":null`
      : `"place":null,"geometry":${geometry}`
    const root = this.#about.isSingle === true ? `,${this.#root}` : ''
    const members = `"time":${this.#timeOf(batch, row)},${places},"properties":${propertiesToJson(batch, row)}`
    this.text += `${this.#separator}{"type":"Feature","id":${idToJson(id)}${root},${members}`
    // The end of the document closes the feature.
    if (this.#about.isSingle !== true) this.text += '}'
    this.#separator = ','
  }

  /** The standard only allows years of four digits. */
  #timeOf(batch: FeatureBatch, row: number): string {
    const column = batch.columns[this.#time]
    const value = column === undefined ? null : columnValue(column, row)
    if (column === undefined || value === null) return 'null'
    if (column.type === 'date') return toTime('date', dateText(value as number))
    return column.type === 'timestamp' ? toTime('timestamp', timestampText(value as bigint)) : 'null'
  }
}

function toTime(member: string, text: string): string {
  return /^\d{4}-/.test(text) ? `{"${member}":"${text}"}` : 'null'
}

/**
 * JSON-FG 1.0 (OGC 21-045r1), core with feature types: coordinates in CRSs other than CRS84 are in `place`.
 */
export const jsonFgFormat: FeatureFormat = {
  open: (about, schema) => new JsonFgWriter(about, schema),
  end: ({ isSingle }, { links = [], numberMatched, numberReturned, timeStamp }) => {
    if (isSingle === true) return `,"links":${JSON.stringify(links)}}`
    return `],${JSON.stringify({ numberMatched, numberReturned, timeStamp, links }).slice(1)}`
  },
}
