import type { FeatureBatch } from '../geo/batch.ts'
import { isValid } from '../geo/column.ts'
import type { Schema } from '../geo/schema.ts'
import { AttributeTable, isText, maxTextBytes } from './attributes.ts'
import { ValueTable } from './value-table.ts'

/** Maximum number of cached values. */
const maxMessages = 5000

/** Values of rows in the encoding of tiles, one by one. */
export class CellMessages {
  readonly #values = new ValueTable()
  readonly #table: AttributeTable

  /** For rows with this schema. */
  constructor(schema: Schema) {
    this.#table = new AttributeTable(schema, this.#values)
  }

  /**
   * Calls `take` with the message of each value of a row that a tile can show, and the number of its column.
   * The message is valid until the next one; undefined for a text that is too long for every tile.
   */
  visit(
    batch: FeatureBatch,
    row: number,
    take: (column: number, message: Uint8Array | undefined) => void,
  ): void {
    if (this.#values.count > maxMessages) this.#values.clear()
    for (const [index, column] of batch.columns.entries()) {
      if (!isValid(column.validity, row)) continue
      if (isText(column.type) && column.kind === 'var') {
        const length = (column.offsets[row + 1] as number) - (column.offsets[row] as number)
        if (length > maxTextBytes) {
          take(index, undefined)
          continue
        }
      }
      const value = this.#table.value(column, row)
      if (value >= 0) take(index, this.#values.messageOf(value))
    }
  }
}
