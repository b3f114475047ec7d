import { CellParser } from '../../core/values/cell-kind.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { Attribute, AttributeType, GeometryField, Schema } from '../../geo/schema.ts'
import { walkCoordinates } from '../../geo/wkb.ts'
import type { FormatMessage } from '../format.ts'
import { ColumnType, offsetsMessage } from '../text/column-type.ts'
import { DeclaredColumn } from './declared-types.ts'

const exampleLength = 80

/** Survey of all rows of a layer: geometries, and possible types of texts. */
export class LayerSurvey {
  rows = 0
  readonly #seen = new SeenGeometries()
  #hasZ = false
  #hasM = false
  readonly #types: ColumnType[]
  readonly #examples: (string | undefined)[]
  readonly #declared: (DeclaredColumn | undefined)[]
  readonly #parser = new CellParser()

  constructor({ attributes }: Schema, declared: ReadonlyMap<string, AttributeType> = new Map()) {
    this.#types = attributes.map(() => new ColumnType())
    this.#examples = attributes.map(() => undefined)
    this.#declared = attributes.map(({ name }) => {
      const type = declared.get(name)
      return type && new DeclaredColumn(type)
    })
  }

  add(batch: FeatureBatch): void {
    this.rows += batch.rowCount + batch.rejects.length
    this.#addGeometries(batch)
    for (const [index, column] of batch.columns.entries()) {
      if (column.kind === 'var' && column.type === 'text') this.#addTexts(index, column, batch.rowCount)
    }
  }

  /** Type and dimensions of geometries written with Z and M: a dimension with only zeros does not count. */
  get shape(): Pick<GeometryField, 'type' | 'hasZ' | 'hasM'> {
    return { type: this.#seen.type, hasZ: this.#hasZ, hasM: this.#hasM }
  }

  /** Returns the attributes with their declared types, or those that represent all their texts without loss. */
  inferred(attributes: readonly Attribute[]): Attribute[] {
    return attributes.map((attribute, index) => {
      if (attribute.type !== 'text') return attribute
      const example = this.#examples[index]
      const type = this.#typeOf(index)
      return example === undefined
        ? { ...attribute, type }
        : { ...attribute, type, source: attribute.name, example }
    })
  }

  /** Returns messages on what is lost when texts are converted to another type, and on wrong declarations. */
  messages(attributes: readonly Attribute[]): FormatMessage[] {
    return attributes.flatMap(({ name, type }, index) => {
      if (type !== 'text') return []
      const declared = this.#declared[index]
      const found = this.#types[index]
      const isLoss = this.#typeOf(index) === 'timestamp' && found?.hasOffset === true
      const messages = isLoss ? [offsetsMessage(name)] : []
      if (declared?.doesFit !== false) return messages
      const text = `"${name}" is declared as ${declared.type}, but has other values: it is read as ${found?.type ?? 'text'}`
      return [...messages, { level: 'warning', code: 'declared-type-wrong', message: text }]
    })
  }

  #typeOf(index: number): AttributeType {
    const declared = this.#declared[index]
    const found = this.#examples[index] === undefined ? undefined : this.#types[index]?.type
    // MapServer declares dates as timestamps too.
    if (declared?.doesFit !== true || (declared.type === 'timestamp' && found === 'date'))
      return found ?? 'text'
    return declared.type
  }

  #addGeometries({ geometry, rowCount }: FeatureBatch): void {
    if (geometry === undefined) return
    const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
    const visit = (offset: number, count: number, dimensions: number): void => {
      if (dimensions !== 4) return
      for (let at = offset + 16; at < offset + count * 32; at += 32) {
        if (isSet(view.getFloat64(at, true))) this.#hasZ = true
        if (isSet(view.getFloat64(at + 8, true))) this.#hasM = true
      }
    }
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(geometry.validity, row)) continue
      const start = geometry.offsets[row] as number
      this.#seen.add(view.getUint32(start + 1, true) % 1000, false, false)
      walkCoordinates(view, start, visit)
    }
  }

  #addTexts(index: number, column: Extract<Column, { kind: 'var' }>, rowCount: number): void {
    const type = this.#types[index] as ColumnType
    const declared = this.#declared[index]
    for (let row = 0; row < rowCount; row += 1) {
      const start = column.offsets[row] as number
      const end = column.offsets[row + 1] as number
      if (start === end || !isValid(column.validity, row)) continue
      this.#examples[index] ??= exampleOf(column.bytes, start, end)
      if (!type.isText) type.observe(this.#parser, column.bytes, start, end)
      declared?.observe(this.#parser, column.bytes, start, end)
    }
  }
}

function exampleOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, Math.min(end, start + exampleLength * 4)))
    .toString('utf8')
    .slice(0, exampleLength)
}

function isSet(ordinate: number): boolean {
  return ordinate !== 0 && !Number.isNaN(ordinate)
}
