import type { CellParser } from '../../core/values/cell-kind.ts'
import {
  booleanKind,
  dateKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  textKind,
  timeKind,
  timestampKind,
} from '../../core/values/cell-kind.ts'
import type { AttributeType } from '../../geo/schema.ts'
import type { FormatMessage } from '../format.ts'

const integerKinds = int32Kind | int64Kind | longIntKind
const spelledKinds = booleanKind | timestampKind

/**
 * Type of a column over all its cells, without loss of values. Cells of different kinds make it text, as do
 * integers of more than 15 digits together with decimal numbers, booleans in several spellings, and
 * timestamps with different separators or zone notations.
 */
export class ColumnType {
  #kinds = 0
  #form = -1
  #hasOffset = false

  get isText(): boolean {
    return (this.#kinds & textKind) !== 0
  }

  /** Reads a non-empty cell; returns its kind. */
  observe(parser: CellParser, bytes: Uint8Array, start: number, end: number): number {
    const kind = parser.parse(bytes, start, end)
    this.#kinds |= kind
    if ((kind & spelledKinds) === 0) return kind
    if (this.#form >= 0 && this.#form !== parser.form) this.#kinds |= textKind
    this.#form = parser.form
    if (kind === timestampKind && parser.hasOffset) this.#hasOffset = true
    return kind
  }

  /** True if some timestamps have an offset other than that of UTC. */
  get hasOffset(): boolean {
    return this.#hasOffset
  }

  /** True for a column of timestamps, some of which have an offset other than that of UTC. */
  get losesOffsets(): boolean {
    return this.#hasOffset && this.type === 'timestamp'
  }

  get type(): AttributeType {
    const kinds = this.#kinds
    if (kinds === booleanKind) return 'boolean'
    if (kinds === dateKind) return 'date'
    if (kinds === timestampKind) return 'timestamp'
    if (kinds === timeKind) return 'time'
    if (kinds === 0 || (kinds & ~(integerKinds | floatKind)) !== 0) return 'text'
    if ((kinds & floatKind) !== 0) return (kinds & longIntKind) === 0 ? 'float64' : 'text'
    return kinds === int32Kind ? 'int32' : 'int64'
  }
}

/** Returns a message that times of a column are stored in UTC, without their offsets. */
export function offsetsMessage(name: string): FormatMessage {
  return {
    level: 'info',
    code: 'times-in-utc',
    message: `The times of "${name}" are kept as moments in UTC; the offsets that the file names are not kept`,
  }
}
