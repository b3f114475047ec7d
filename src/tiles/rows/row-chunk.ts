import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnKind } from '../../geo/column.ts'
import type { AttributeType, Schema } from '../../geo/schema.ts'
import type { RowPage } from '../encode-tile.ts'
import { Sections, writeSections } from './sections.ts'

/** What stands before the columns of a chunk. */
const section = { counts: 0, places: 1, sides: 2, ids: 3, idTexts: 4, envelopes: 5, ends: 6, wkb: 7 } as const
const firstColumn = 8
/** Validity, values or offsets, bytes. */
const columnSections = 3
/** Ids that are kept as numbers, and are such in a tile. */
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/
const text = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Rows that lie near each other, in the order of their keys. */
export interface ChunkRows extends RowPage {
  ids: readonly string[]
  /** Where each row stands among all rows of the table in the order of their keys. */
  places: Uint32Array
  /** Envelopes as the index of the store has them, rounded outwards to 32-bit floats: minX, minY, maxX, maxY of each. */
  sides: Float32Array
}

/** Some attributes of a layer by their numbers, and the schema that has these alone. */
export interface ChosenColumns {
  schema: Schema
  numbers: readonly number[]
}

/** The chunk as it stands in a file. */
export function writeChunk({ batch, ids, places, sides }: ChunkRows): Uint8Array {
  const { geometry, rowCount } = batch
  if (geometry === undefined) throw new Error('Rows of tiles have a geometry')
  const areNumbers = ids.every((id) => wholeNumber.test(id))
  const idTexts = areNumbers ? [] : ids.map((id) => text.encode(id))
  const arrays: ArrayBufferView[] = [
    Uint32Array.of(rowCount, areNumbers ? 1 : 0),
    places,
    sides,
    areNumbers ? Float64Array.from(ids, Number) : endsOf(idTexts),
    Buffer.concat(idTexts),
    geometry.envelopes,
    geometry.offsets,
    geometry.bytes.subarray(0, geometry.offsets[rowCount]),
    ...batch.columns.flatMap((column) => columnArrays(column, rowCount)),
  ]
  return writeSections(arrays)
}

function endsOf(texts: readonly Uint8Array[]): Uint32Array {
  const offsets = new Uint32Array(texts.length + 1)
  for (const [at, { length }] of texts.entries()) offsets[at + 1] = (offsets[at] as number) + length
  return offsets
}

const none = new Uint8Array(0)

function columnArrays(column: Column, rows: number): ArrayBufferView[] {
  const validity = column.validity.subarray(0, (rows + 7) >> 3)
  if (column.kind === 'var')
    return [
      validity,
      column.offsets.subarray(0, rows + 1),
      column.bytes.subarray(0, column.offsets[rows] as number),
    ]
  return [validity, column.values.subarray(0, rows), none]
}

/** A chunk as it was read. What it gives are views of the bytes. */
export class RowChunk {
  readonly rowCount: number
  readonly #sections: Sections
  readonly #schema: Schema

  constructor(buffer: ArrayBuffer, start: number, schema: Schema) {
    this.#sections = new Sections(buffer, start, firstColumn + schema.attributes.length * columnSections)
    this.#schema = schema
    this.rowCount = this.#sections.uint32(section.counts)[0] as number
  }

  get places(): Uint32Array {
    return this.#sections.uint32(section.places)
  }

  get sides(): Float32Array {
    return this.#sections.float32(section.sides)
  }

  page({ schema, numbers }: ChosenColumns): RowPage {
    const sections = this.#sections
    const offsets = sections.uint32(section.ends)
    const batch: FeatureBatch = {
      ...{ schema, rowCount: this.rowCount, rowNumbers: none64, rejects: [] },
      columns: numbers.map((number) =>
        this.#column(number, this.#schema.attributes[number]?.type ?? 'binary'),
      ),
      geometry: {
        ...{ offsets, bytes: sections.bytes(section.wkb), envelopes: sections.float64(section.envelopes) },
        ...{ validity: allValid(this.rowCount), nullCount: 0 },
      },
    }
    return { batch, ids: this.#ids() }
  }

  #ids(): readonly string[] | Float64Array {
    const sections = this.#sections
    if (sections.uint32(section.counts)[1] === 1) return sections.float64(section.ids)
    const [offsets, bytes] = [sections.uint32(section.ids), sections.bytes(section.idTexts)]
    return Array.from({ length: this.rowCount }, (_, row) =>
      decoder.decode(bytes.subarray(offsets[row], offsets[row + 1])),
    )
  }

  #column(number: number, type: AttributeType): Column {
    const first = firstColumn + number * columnSections
    const sections = this.#sections
    const known = { validity: sections.bytes(first), nullCount: 0 }
    const kind = columnKind(type)
    if (kind === 'var')
      return {
        ...{ ...known, kind, type: type as 'text' },
        ...{ offsets: sections.uint32(first + 1), bytes: sections.bytes(first + 2) },
      }
    if (kind === 'big') return { ...known, kind, type: type as 'int64', values: sections.int64(first + 1) }
    return { ...known, kind, type: type as 'int32', values: numbersOf(sections, first + 1, type) }
  }
}

const none64 = new Float64Array(0)
let valid = new Uint8Array(64).fill(255)

function allValid(rows: number): Uint8Array {
  if (rows > valid.length * 8) valid = new Uint8Array((rows + 7) >> 3).fill(255)
  return valid
}

function numbersOf(
  sections: Sections,
  number: number,
  type: AttributeType,
): Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array {
  switch (type) {
    case 'boolean':
      return sections.bytes(number)
    case 'int16':
      return sections.int16(number)
    case 'float32':
      return sections.float32(number)
    case 'float64':
      return sections.float64(number)
    default:
      return sections.int32(number)
  }
}
