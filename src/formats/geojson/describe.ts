import { basename, extname } from 'node:path'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { Attribute } from '../../geo/schema.ts'
import { maxAttributes } from '../../geo/schema.ts'
import type { DataFile, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { crsOfCollection } from './crs-member.ts'
import type { TopMembers } from './document.ts'
import type { FeatureTarget } from './feature-parser.ts'
import { parseFeature, parseObject } from './feature-parser.ts'
import { featureIdSource } from './feature-reader.ts'
import { GeometryParser } from './geometry-parser.ts'
import type { JsonScanner } from './json-scanner.ts'
import { JsonSource } from './json-source.ts'
import { tokenText } from './json-text.ts'
import { NameIndex } from './name-index.ts'
import { PropertyType } from './property-types.ts'
import type { RecordSink } from './record.ts'
import { walkRecords } from './walk.ts'

const builderRows = 1024
const builderBytes = 1 << 20

/** Survey of a file: property names in order of first occurrence with their types, geometry types, bounds. */
class FeatureSurvey implements RecordSink, FeatureTarget {
  readonly geometry: GeometryParser
  readonly names = new NameIndex()
  readonly seen = new SeenGeometries()
  readonly envelope: Envelope = emptyEnvelope()
  readonly idType = new PropertyType()
  hasId = false
  /** True if an accepted feature contains NaN or infinite numbers. */
  hasNotFinite = false
  rows = 0
  readonly isFull = false
  readonly #scanner: JsonScanner
  readonly #types: PropertyType[] = []
  #builder = new GeometryBuilder(builderRows)
  #hasGeometry = false

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner
    this.geometry = new GeometryParser(scanner, this.#builder, { isMulti: false, hasZ: false, hasM: false })
  }

  takeFeature(): void {
    this.#scanner.notFinite.length = 0
    this.#hasGeometry = false
    parseFeature(this.#scanner, this)
  }

  takeObject(): void {
    this.#scanner.notFinite.length = 0
    this.#hasGeometry = false
    parseObject(this.#scanner, this)
  }

  beforeGeometry(): void {
    if (this.#hasGeometry) this.undo()
  }

  afterGeometry(): void {
    this.#hasGeometry = true
  }

  property(): void {
    const scanner = this.#scanner
    let index = this.names.pass(scanner)
    if (index < 0) index = this.#add(tokenText(scanner))
    ;(this.#types[index] as PropertyType).observe(scanner)
  }

  id(): void {
    this.hasId = true
    this.idType.observe(this.#scanner)
  }

  #add(name: string): number {
    if (this.#types.length === maxAttributes) {
      throw new FormatError(`Features have more than ${maxAttributes} different properties`, {
        code: 'too-wide',
      })
    }
    this.#types.push(new PropertyType())
    return this.names.add(name)
  }

  commit(): void {
    this.rows += 1
    if (this.#scanner.notFinite.length > 0) this.hasNotFinite = true
    if (!this.#hasGeometry) return
    this.seen.add(this.geometry.typeCode, this.geometry.hasZ, false)
    if (this.#builder.length === builderRows || this.#builder.byteLength > builderBytes) this.foldEnvelopes()
  }

  undo(): void {
    this.#builder.truncate(this.#hasGeometry ? this.#builder.length - 1 : this.#builder.length)
    this.#hasGeometry = false
  }

  reject(): void {
    this.rows += 1
  }

  /**
   * Adds the envelopes of the geometries so far to that of the layer, and starts a new batch of geometries.
   */
  foldEnvelopes(): void {
    includeEnvelopes(this.envelope, this.#builder.finish())
    this.#builder = new GeometryBuilder(builderRows)
    this.geometry.builder = this.#builder
  }

  attributes(): Attribute[] {
    const attributes = this.names.names.map((name, index) =>
      (this.#types[index] as PropertyType).attribute(name),
    )
    if (!this.hasId || this.names.names.includes('id')) return attributes
    return [{ ...this.idType.attribute('id'), source: featureIdSource }, ...attributes]
  }
}

function includeEnvelopes(envelope: Envelope, { envelopes }: GeometryColumn): void {
  for (let at = 0; at < envelopes.length; at += 4) {
    if ((envelopes[at] as number) < envelope.minX) envelope.minX = envelopes[at] as number
    if ((envelopes[at + 1] as number) < envelope.minY) envelope.minY = envelopes[at + 1] as number
    if ((envelopes[at + 2] as number) > envelope.maxX) envelope.maxX = envelopes[at + 2] as number
    if ((envelopes[at + 3] as number) > envelope.maxY) envelope.maxY = envelopes[at + 3] as number
  }
}

/** Reads the whole file once to find its schema, count and bounds. */
export async function describeGeoJson(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const source = await JsonSource.open(file.path, context.signal)
  try {
    const survey = new FeatureSurvey(source.scanner)
    const records = walkRecords(file, source, survey)
    for (;;) {
      const step = await records.next()
      if (step.done === true) return [layerOf(file, survey, step.value)]
    }
  } finally {
    await source.close()
  }
}

function layerOf(file: DataFile, survey: FeatureSurvey, top: TopMembers): LayerDescription {
  survey.foldEnvelopes()
  const { crs, message } = crsOfCollection(top.crs)
  const messages = message === undefined ? surveyMessages(survey) : [message, ...surveyMessages(survey)]
  const hasZ = survey.seen.withZ > 0
  const layer: LayerDescription = {
    name: basename(file.path, extname(file.path)),
    schema: {
      attributes: survey.attributes(),
      geometry: { name: 'geometry', type: survey.seen.type, hasZ, hasM: false, crs },
    },
    featureCount: survey.rows,
    messages,
  }
  if (!isEmptyEnvelope(survey.envelope)) layer.envelope = survey.envelope
  return layer
}

function surveyMessages(survey: FeatureSurvey): FormatMessage[] {
  const messages: FormatMessage[] = []
  const { count, withZ } = survey.seen
  if (withZ > 0 && withZ < count) {
    const message = `${count - withZ} of ${count} geometries have no Z: it becomes 0`
    messages.push({ level: 'info', code: 'mixed-dimensions', message })
  }
  if (survey.geometry.longPositions > 0) {
    const message = `${survey.geometry.longPositions} positions have more than three numbers: the rest was passed over`
    messages.push({ level: 'warning', code: 'extra-ordinates', message })
  }
  if (survey.hasNotFinite) {
    const message =
      'NaN or infinite numbers stand in the file, which is not JSON: they are read as in GDAL, within arrays and objects as null'
    messages.push({ level: 'warning', code: 'numbers-not-finite', message })
  }
  if (survey.hasId && survey.names.names.includes('id')) {
    const message = 'The property "id" is kept, the id member of features is not'
    messages.push({ level: 'info', code: 'feature-id-dropped', message })
  }
  return messages
}
