import { DistinctNames } from '../../core/text/free-name.ts'
import { CellParser } from '../../core/values/cell-kind.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { Attribute } from '../../geo/schema.ts'
import { maxAttributes } from '../../geo/schema.ts'
import type { FormatMessage, LayerDescription } from '../format.ts'
import { FormatError } from '../format.ts'
import { offsetsMessage } from '../text/column-type.ts'
import { FieldNames } from './field-names.ts'
import type { RowSink } from './row-sink.ts'
import type { DeclaredType } from './value-survey.ts'
import { ValueSurvey } from './value-survey.ts'
import type { TextToken } from './xml-scanner.ts'

const longestName = 1000
const builderRows = 1024
const builderBytes = 1 << 20

/** A field that the format defines. */
export interface FormatField {
  name: string
  type: DeclaredType
}

/** Survey of rows: fields with types, geometry types, bounds. */
export class RowSurvey implements RowSink {
  builder = new GeometryBuilder(builderRows)
  readonly shape = { isMulti: false, hasZ: false, hasM: false }
  readonly isFull = false
  readonly seen = new SeenGeometries()
  readonly envelope: Envelope = emptyEnvelope()
  rows = 0
  readonly #known: readonly FormatField[]
  readonly #names = new FieldNames()
  readonly #fields: ValueSurvey[]
  readonly #parser = new CellParser()
  #typeCode = 0
  #hasZ = false

  constructor(known: readonly FormatField[]) {
    this.#known = known
    this.#fields = known.map(({ type }) => new ValueSurvey(type))
  }

  field(name: TextToken): number {
    const index = this.#names.find(name)
    if (index >= 0) return this.#known.length + index
    const { textBytes, textStart, textEnd } = name
    return this.#add(Buffer.from(textBytes.subarray(textStart, textEnd)).toString('utf8'), undefined)
  }

  /**
   * Registers a field declared by the file; a field declared twice differently, or after its first use,
   * becomes text or is unchanged.
   */
  declare(name: string, type: DeclaredType): void {
    const index = this.#names.names.indexOf(name)
    const field = this.#fields[this.#known.length + index]
    if (index < 0 || field === undefined) this.#add(name, type)
    else if (field.declared !== type && (field.declared !== undefined || type === 'string'))
      field.declared = 'string'
  }

  #add(name: string, type: DeclaredType | undefined): number {
    if (name === '' || name.length > longestName) return -1
    if (this.#fields.length >= maxAttributes) {
      throw new FormatError(`Rows have more than ${maxAttributes} different fields`, { code: 'too-wide' })
    }
    this.#fields.push(new ValueSurvey(type))
    return this.#known.length + this.#names.add(name)
  }

  value(field: number, text: TextToken): void {
    if (field >= 0) (this.#fields[field] as ValueSurvey).observe(text, this.#parser)
  }

  geometry(typeCode: number, hasZ: boolean): void {
    this.#typeCode = typeCode
    this.#hasZ = hasZ
  }

  commit(): void {
    this.rows += 1
    if (this.#typeCode === 0) return
    this.seen.add(this.#typeCode, this.#hasZ, false)
    this.#typeCode = 0
    if (this.builder.length === builderRows || this.builder.byteLength > builderBytes) this.#foldEnvelopes()
  }

  undo(): void {
    this.builder.truncate(this.#typeCode === 0 ? this.builder.length : this.builder.length - 1)
    this.#typeCode = 0
  }

  reject(): void {
    this.rows += 1
  }

  /**
   * Adds the envelopes of the geometries so far to that of the layer, and starts a new batch of geometries.
   */
  #foldEnvelopes(): void {
    const { envelopes } = this.builder.finish()
    const { envelope } = this
    for (let at = 0; at < envelopes.length; at += 4) {
      if ((envelopes[at] as number) < envelope.minX) envelope.minX = envelopes[at] as number
      if ((envelopes[at + 1] as number) < envelope.minY) envelope.minY = envelopes[at + 1] as number
      if ((envelopes[at + 2] as number) > envelope.maxX) envelope.maxX = envelopes[at + 2] as number
      if ((envelopes[at + 3] as number) > envelope.maxY) envelope.maxY = envelopes[at + 3] as number
    }
    this.builder = new GeometryBuilder(builderRows)
  }

  /**
   * Returns the layer of this name with the survey results. Fields of the file have a `source`, those of the
   * format none.
   */
  layer(name: string, charset: string, nameOf: (source: string) => string): LayerDescription {
    this.#foldEnvelopes()
    const messages: FormatMessage[] = []
    const attributes = this.#attributes(nameOf, messages)
    const { count, withZ, type } = this.seen
    if (withZ > 0 && withZ < count) {
      const message = `${count - withZ} of ${count} geometries have no Z: it becomes 0`
      messages.push({ level: 'info', code: 'mixed-dimensions', message })
    }
    const layer: LayerDescription = {
      name,
      schema: {
        attributes,
        geometry: { name: 'geometry', type, hasZ: withZ > 0, hasM: false, crs: { srs: 'EPSG:4326' } },
      },
      featureCount: this.rows,
      charset,
      messages,
    }
    if (!isEmptyEnvelope(this.envelope)) layer.envelope = this.envelope
    return layer
  }

  #attributes(nameOf: (source: string) => string, messages: FormatMessage[]): Attribute[] {
    const attributes: Attribute[] = []
    const names = new DistinctNames({ separator: '_', first: 2 })
    for (const [index, field] of this.#fields.entries()) {
      const known = this.#known[index]
      if (known !== undefined && !field.isUsed) continue
      const source = this.#names.names[index - this.#known.length] ?? ''
      const requested = known?.name ?? nameOf(source)
      const name = names.take(requested)
      const attribute = field.attribute(name)
      attributes.push(known === undefined ? { ...attribute, source } : attribute)
      if (name !== requested) {
        const message = `The name "${requested}" stands there twice: the field "${source}" is called "${name}"`
        messages.push({ level: 'warning', code: 'repeated-name', message })
      }
      if (attribute.type === 'timestamp' && field.losesOffsets) messages.push(offsetsMessage(name))
      if (field.isMisfit && field.declared !== 'string') {
        const message = `Not every value of "${name}" is ${field.declared}, as it is declared: it is read as ${attribute.type}`
        messages.push({ level: 'warning', code: 'declared-type', message })
      }
    }
    return attributes
  }
}
