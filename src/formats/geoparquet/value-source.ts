import { DeltaReader } from './delta-reader.ts'
import type { ParquetPage } from './page-reader.ts'
import { damaged, notSupported } from './parquet-error.ts'
import type { ParquetNode } from './parquet-file.ts'
import { RleReader } from './rle-reader.ts'

/**
 * Values of a page in order: after `next` the value is `bytes[start, end)`, in PLAIN encoding without its
 * length. A boolean is one byte, 0 or 1.
 */
export abstract class ParquetValueSource {
  bytes: Uint8Array
  view: DataView
  start = 0
  end = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Steps to the next value; throws `FormatError` if there is none. */
  abstract next(): void
}

class FixedSource extends ParquetValueSource {
  readonly #width: number

  constructor(bytes: Uint8Array, width: number) {
    super(bytes)
    this.#width = width
  }

  next(): void {
    this.start = this.end
    this.end += this.#width
    if (this.end > this.bytes.length) throw damaged('the values of a page break off')
  }
}

class VarSource extends ParquetValueSource {
  next(): void {
    const at = this.end
    this.start = at + 4
    if (this.start > this.bytes.length) throw damaged('the values of a page break off')
    this.end = this.start + this.view.getUint32(at, true)
    if (this.end > this.bytes.length) throw damaged('a value reaches beyond its page')
  }
}

class BitSource extends ParquetValueSource {
  readonly #bits: Uint8Array
  #bit = 0

  constructor(bits: Uint8Array) {
    super(new Uint8Array(1))
    this.#bits = bits
    this.end = 1
  }

  next(): void {
    const byte = this.#bits[this.#bit >>> 3]
    if (byte === undefined) throw damaged('the values of a page break off')
    this.bytes[0] = (byte >>> (this.#bit & 7)) & 1
    this.#bit += 1
  }
}

class RunSource extends ParquetValueSource {
  readonly #runs: RleReader

  constructor(runs: RleReader) {
    super(new Uint8Array(1))
    this.#runs = runs
    this.end = 1
  }

  next(): void {
    this.bytes[0] = this.#runs.next()
  }
}

/** The values of a dictionary page, by index. */
export class ParquetDictionary {
  readonly bytes: Uint8Array
  readonly #bounds: Uint32Array | undefined
  readonly #width: number
  readonly #count: number

  constructor(page: ParquetPage, node: ParquetNode) {
    this.bytes = page.values
    this.#width = fixedWidth(node)
    this.#count = page.valueCount
    if (page.encoding !== 'PLAIN' && page.encoding !== 'PLAIN_DICTIONARY') {
      throw notSupported(`A dictionary is encoded as ${page.encoding}, which is not read`)
    }
    if (this.#count * (this.#width || 4) > this.bytes.length) throw damaged('a dictionary breaks off')
    if (this.#width === 0) this.#bounds = this.#findBounds()
  }

  #findBounds(): Uint32Array {
    const bounds = new Uint32Array(this.#count * 2)
    const values = new VarSource(this.bytes)
    for (let at = 0; at < bounds.length; at += 2) {
      values.next()
      bounds[at] = values.start
      bounds[at + 1] = values.end
    }
    return bounds
  }

  /** Makes `source` refer to a value. */
  point(source: ParquetValueSource, index: number): void {
    if (index >= this.#count) throw damaged(`a value is number ${index} of a dictionary of ${this.#count}`)
    if (this.#bounds === undefined) {
      source.start = index * this.#width
      source.end = source.start + this.#width
    } else {
      source.start = this.#bounds[index * 2] as number
      source.end = this.#bounds[index * 2 + 1] as number
    }
  }
}

class DictionarySource extends ParquetValueSource {
  readonly #dictionary: ParquetDictionary
  readonly #indices: RleReader

  constructor(dictionary: ParquetDictionary, values: Uint8Array) {
    super(dictionary.bytes)
    this.#dictionary = dictionary
    this.#indices = new RleReader(values, 1, values[0] ?? 0)
  }

  next(): void {
    this.#dictionary.point(this, this.#indices.next())
  }
}

class DeltaSource extends ParquetValueSource {
  readonly #numbers: DeltaReader

  constructor(values: Uint8Array, width: number) {
    super(new Uint8Array(8))
    this.#numbers = new DeltaReader(values, 0)
    this.end = width
  }

  next(): void {
    this.view.setBigInt64(0, this.#numbers.next(), true)
  }
}

/** Reads the lengths of texts, which all precede the texts. */
function readLengths(
  bytes: Uint8Array,
  start: number,
  valueCount: number,
): { lengths: Int32Array; end: number } {
  const reader = new DeltaReader(bytes, start)
  if (reader.count > valueCount) throw damaged('a page has more lengths than values')
  const lengths = new Int32Array(reader.count)
  for (let index = 0; index < lengths.length; index += 1) {
    const length = Number(reader.next())
    if (!(length >= 0 && length <= bytes.length)) throw damaged(`a value has ${length} bytes`)
    lengths[index] = length
  }
  return { lengths, end: reader.end }
}

class LengthsSource extends ParquetValueSource {
  readonly #lengths: Int32Array
  #index = 0

  constructor(values: Uint8Array, valueCount: number) {
    super(values)
    const { lengths, end } = readLengths(values, 0, valueCount)
    this.#lengths = lengths
    this.end = end
  }

  next(): void {
    const length = this.#lengths[this.#index]
    this.start = this.end
    this.end += length ?? Number.NaN
    if (!(this.end <= this.bytes.length)) throw damaged('the values of a page break off')
    this.#index += 1
  }
}

/** Each value shares a prefix with the previous one. */
class PrefixSource extends ParquetValueSource {
  readonly #prefixes: Int32Array
  readonly #suffixes: LengthsSource
  #index = 0

  constructor(values: Uint8Array, valueCount: number) {
    super(new Uint8Array(256))
    const { lengths, end } = readLengths(values, 0, valueCount)
    this.#prefixes = lengths
    this.#suffixes = new LengthsSource(values.subarray(end), valueCount)
  }

  next(): void {
    const prefix = this.#prefixes[this.#index] ?? Number.NaN
    if (!(prefix <= this.end)) throw damaged('a value begins as one that is shorter')
    this.#index += 1
    const suffixes = this.#suffixes
    suffixes.next()
    const length = prefix + suffixes.end - suffixes.start
    if (length > this.bytes.length) this.#grow(length, prefix)
    this.bytes.set(suffixes.bytes.subarray(suffixes.start, suffixes.end), prefix)
    this.end = length
  }

  #grow(length: number, kept: number): void {
    const grown = new Uint8Array(length * 2)
    grown.set(this.bytes.subarray(0, kept))
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }
}

/** The first bytes of all values, then the second bytes, and so on. */
class SplitSource extends ParquetValueSource {
  readonly #streams: Uint8Array
  readonly #count: number
  #index = 0

  constructor(values: Uint8Array, width: number) {
    super(new Uint8Array(width))
    this.#streams = values
    this.#count = width === 0 ? 0 : Math.floor(values.length / width)
    this.end = width
  }

  next(): void {
    if (this.#index >= this.#count) throw damaged('the values of a page break off')
    for (let byte = 0; byte < this.end; byte += 1) {
      this.bytes[byte] = this.#streams[byte * this.#count + this.#index] as number
    }
    this.#index += 1
  }
}

/** Size of a fixed-width value; 0 for others. */
function fixedWidth({ element }: ParquetNode): number {
  switch (element.type) {
    case 'INT32':
    case 'FLOAT':
      return 4
    case 'INT64':
    case 'DOUBLE':
      return 8
    case 'INT96':
      return 12
    case 'FIXED_LEN_BYTE_ARRAY':
      return element.type_length ?? 0
    default:
      return 0
  }
}

function plainSource(node: ParquetNode, values: Uint8Array): ParquetValueSource {
  if (node.element.type === 'BOOLEAN') return new BitSource(values)
  if (node.element.type === 'BYTE_ARRAY') return new VarSource(values)
  return new FixedSource(values, fixedWidth(node))
}

/** Opens the values of a data page. `valueCount` limits the allocated memory. */
export function openValues(
  node: ParquetNode,
  page: ParquetPage,
  dictionary: ParquetDictionary | undefined,
): ParquetValueSource {
  const { encoding, values, valueCount } = page
  switch (encoding) {
    case 'PLAIN':
      return plainSource(node, values)
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      if (dictionary === undefined) throw damaged(`column "${node.path}" has no dictionary`)
      return new DictionarySource(dictionary, values)
    case 'RLE':
      if (node.element.type === 'BOOLEAN') return new RunSource(new RleReader(values, 4, 1))
      break
    case 'DELTA_BINARY_PACKED':
      return new DeltaSource(values, fixedWidth(node))
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return new LengthsSource(values, valueCount)
    case 'DELTA_BYTE_ARRAY':
      return new PrefixSource(values, valueCount)
    case 'BYTE_STREAM_SPLIT':
      return new SplitSource(values, fixedWidth(node))
  }
  throw notSupported(`Column "${node.path}" is encoded as ${encoding}, which is not read`)
}
