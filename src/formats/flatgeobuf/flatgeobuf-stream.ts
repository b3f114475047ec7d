import type { FeatureBatch } from '../../geo/batch.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import { ByteWindow, type ReadAt } from '../byte-window.ts'
import type { ReadContext } from '../format.ts'
import { FgbFeatures, FgbRecords } from './fgb-features.ts'
import { fgbSchema, openFgb } from './fgb-source.ts'

export interface FlatGeobufStream {
  schema: Schema
  /** Where the writer knew them beforehand, which `ogr2ogr` does not. */
  featureCount: number | undefined
  envelope: Envelope | undefined
  /** To be read once; ends the source, also when the reader stops early. */
  batches: AsyncIterable<FeatureBatch>
}

/**
 * Reads FlatGeobuf from a pipe: the schema at once, then the batches. Geometries of a header without a type are
 * `Geometry`. Throws `FormatError` when the data are something else or break off; the source is ended then too.
 */
export async function readFlatGeobufStream(
  chunks: AsyncIterable<Uint8Array>,
  context: ReadContext,
): Promise<FlatGeobufStream> {
  const iterator = chunks[Symbol.asyncIterator]()
  const close = async (): Promise<void> => {
    await iterator.return?.()
  }
  try {
    const window = new ByteWindow(readChunks(iterator, context.signal))
    const { header, featuresAt } = await openFgb(window)
    const schema = fgbSchema(header)
    const features = new FgbFeatures(new FgbRecords(window, featuresAt), header, schema)
    return {
      schema,
      featureCount: header.featureCount,
      envelope: header.envelope,
      batches: readBatches(features, close, context.signal),
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function* readBatches(
  features: FgbFeatures,
  close: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  try {
    yield* features.batches(signal)
  } finally {
    await close()
  }
}

/** Reads on from chunk to chunk; bytes before a later position are passed over. */
function readChunks(iterator: AsyncIterator<Uint8Array>, signal: AbortSignal): ReadAt {
  let chunk: Uint8Array = new Uint8Array(0)
  let chunkStart = 0
  return async (target, position) => {
    while (position >= chunkStart + chunk.length) {
      signal.throwIfAborted()
      const next = await iterator.next()
      if (next.done === true) return 0
      chunkStart += chunk.length
      chunk = next.value
    }
    const piece = chunk.subarray(position - chunkStart, position - chunkStart + target.length)
    target.set(piece)
    return piece.length
  }
}
