import type { AttributeType } from '../../geo/schema.ts'
import type { CellParser } from '../../lib/values/cell-kind.ts'
import {
  booleanKind,
  dateKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  textKind,
  timestampKind,
} from '../../lib/values/cell-kind.ts'

const integerKinds = int32Kind | int64Kind | longIntKind
const spelledKinds = booleanKind | timestampKind

/**
 * The type of a column over all its cells, such that nothing is lost. Cells of different kinds make it text, as do
 * integers of more than 15 digits beside numbers with a point, and booleans or timestamps in several spellings.
 */
export class ColumnType {
  #kinds = 0
  #form = -1

  get isText(): boolean {
    return (this.#kinds & textKind) !== 0
  }

  /** Takes in a cell that is not empty; its kind. */
  observe(parser: CellParser, bytes: Uint8Array, start: number, end: number): number {
    const kind = parser.parse(bytes, start, end)
    this.#kinds |= kind
    if ((kind & spelledKinds) === 0) return kind
    if (this.#form >= 0 && this.#form !== parser.form) this.#kinds |= textKind
    this.#form = parser.form
    return kind
  }

  get type(): AttributeType {
    const kinds = this.#kinds
    if (kinds === booleanKind) return 'boolean'
    if (kinds === dateKind) return 'date'
    if (kinds === timestampKind) return 'timestamp'
    if (kinds === 0 || (kinds & ~(integerKinds | floatKind)) !== 0) return 'text'
    if ((kinds & floatKind) !== 0) return (kinds & longIntKind) === 0 ? 'float64' : 'text'
    return kinds === int32Kind ? 'int32' : 'int64'
  }
}
