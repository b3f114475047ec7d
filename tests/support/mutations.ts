import fc from 'fast-check'
import type { Format } from '../../src/formats/format.ts'
import { FormatError } from '../../src/formats/format.ts'
import { readLayer } from './read-layer.ts'

type Mutation = (bytes: Buffer) => Buffer

/** Ways to damage a file: bits turned, bytes put in or taken out, the end cut off. */
export const mutation: fc.Arbitrary<Mutation[]> = fc.array(
  fc.oneof(
    fc.tuple(fc.nat(), fc.nat(7)).map(
      ([at, bit]): Mutation =>
        (bytes) => {
          const changed = Buffer.from(bytes)
          const index = at % Math.max(1, bytes.length)
          changed[index] = (changed[index] ?? 0) ^ (1 << bit)
          return changed
        },
    ),
    fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:;\n\r\0-9e.\\\u001e', 'null', 'ü', '1e999')).map(
      ([at, text]): Mutation =>
        (bytes) => {
          const index = at % (bytes.length + 1)
          return Buffer.concat([bytes.subarray(0, index), Buffer.from(text), bytes.subarray(index)])
        },
    ),
    fc.tuple(fc.nat(), fc.nat(40)).map(
      ([at, count]): Mutation =>
        (bytes) => {
          const index = at % (bytes.length + 1)
          return Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + count)])
        },
    ),
    fc.nat().map(
      (at): Mutation =>
        (bytes) =>
          bytes.subarray(0, at % (bytes.length + 1)),
    ),
  ),
  { minLength: 1, maxLength: 4 },
)

/**
 * Reads a file that may be damaged: every row is loaded or rejected once, in order, or a `FormatError` gives
 * the reason.
 */
export async function readDamaged(format: Format, path: string): Promise<'read' | 'refused'> {
  try {
    const { layer, rows, rejects } = await readLayer(format, path)
    const numbers = [...rows, ...rejects].map((row) => row.row).sort((a, b) => a - b)
    const isWhole = numbers.length === layer.featureCount && numbers.every((row, index) => row === index + 1)
    if (!isWhole) throw new Error(`${numbers.length} of ${layer.featureCount} rows are accounted for`)
    return 'read'
  } catch (error) {
    if (error instanceof FormatError) return 'refused'
    throw error
  }
}
