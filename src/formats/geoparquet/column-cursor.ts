import type { ColumnBuilder } from '../../geo/column-builder.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { Attribute } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { Making, RowAssembler } from './assemble-row.ts'
import { jsonValues } from './json-values.ts'
import type { LeafCursor } from './leaf-cursor.ts'
import type { AppendValue } from './leaf-type.ts'
import { leafType } from './leaf-type.ts'
import type { NativeValue, NativeWriter } from './native-geometry.ts'
import type { ParquetNode } from './parquet-file.ts'

/** Maximum number of rows and values assembled in advance for a nested column. */
const aheadRows = 256
const aheadValues = 1 << 16

/**
 * One column of the file. `ready` rows can be appended before `load` must be called. `append` appends the
 * value of the next row and returns the reason if it cannot be represented, otherwise ''.
 */
export interface ColumnCursor<Target> {
  readonly ready: number
  load(): Promise<boolean>
  append(target: Target): string
}

/** True if the column is a single leaf that is at most null, without nesting. */
export function isFlat(node: ParquetNode): boolean {
  return node.children.length === 0 && node.maxRepetition === 0
}

/** Returns the attribute of a column below the root. */
export function attributeOfNode(node: ParquetNode): Attribute {
  return { name: node.name, ...(isFlat(node) ? leafType(node).attribute : { type: 'text' }) }
}

/** Values of a flat column. */
export class FlatColumn implements ColumnCursor<ColumnBuilder> {
  readonly #leaf: LeafCursor
  readonly #append: AppendValue

  constructor(leaf: LeafCursor) {
    this.#leaf = leaf
    this.#append = leafType(leaf.node).append
  }

  get ready(): number {
    return this.#leaf.ready
  }

  load(): Promise<boolean> {
    return this.#leaf.load()
  }

  append(target: ColumnBuilder): string {
    if (this.#leaf.step()) return this.#append(this.#leaf.source, target)
    target.appendNull()
    return ''
  }
}

/** Geometries as WKB in a flat column. */
export class WkbColumn implements ColumnCursor<GeometryBuilder> {
  readonly #leaf: LeafCursor

  constructor(leaf: LeafCursor) {
    this.#leaf = leaf
  }

  get ready(): number {
    return this.#leaf.ready
  }

  load(): Promise<boolean> {
    return this.#leaf.load()
  }

  append(target: GeometryBuilder): string {
    if (!this.#leaf.step()) {
      target.appendNull()
      return ''
    }
    const { bytes, start, end } = this.#leaf.source
    return orReason(() => target.appendWkb(bytes, start, end))
  }
}

function orReason(append: () => void): string {
  try {
    append()
    return ''
  } catch (error) {
    if (error instanceof GeometryError) return error.message
    throw error
  }
}

/** Rows of a nested column, some of them assembled in advance. */
abstract class NestedColumn<T, Target> implements ColumnCursor<Target> {
  readonly #rows: RowAssembler<T>
  #ahead: T[] = []
  #at = 0

  constructor(rows: RowAssembler<T>) {
    this.#rows = rows
  }

  get ready(): number {
    return this.#ahead.length - this.#at
  }

  async load(): Promise<boolean> {
    this.#ahead = []
    this.#at = 0
    for (let size = 0; size < aheadValues && this.#ahead.length < aheadRows; ) {
      const row = await this.#rows.next()
      if (row === undefined) break
      this.#ahead.push(row.value)
      size += row.size
    }
    return this.#ahead.length > 0
  }

  append(target: Target): string {
    const value = this.#ahead[this.#at] as T
    this.#at += 1
    return this.write(value, target)
  }

  protected abstract write(value: T, target: Target): string
}

/** Nested values as JSON text. */
export class JsonColumn extends NestedColumn<string, ColumnBuilder> {
  static readonly making: Making<string> = jsonValues

  protected write(value: string, target: ColumnBuilder): string {
    if (value === jsonValues.nothing) target.appendNull()
    else if (target.kind === 'var') target.appendString(value)
    return ''
  }
}

/** Geometries of a native encoding. */
export class NativeColumn extends NestedColumn<NativeValue, GeometryBuilder> {
  readonly #writer: NativeWriter

  constructor(rows: RowAssembler<NativeValue>, writer: NativeWriter) {
    super(rows)
    this.#writer = writer
  }

  protected write(value: NativeValue, target: GeometryBuilder): string {
    return orReason(() => this.#writer.append(value, target))
  }
}
