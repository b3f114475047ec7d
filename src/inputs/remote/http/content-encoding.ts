import type { Readable } from 'node:stream'
import { pipeline, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ownValue } from '../../../core/values/record-keys.ts'
import { RemoteFault } from '../remote.ts'

/** Below this size the ratio is not checked. */
const ratioFloorBytes = 1 << 20
const maxRatio = 200

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function countingTransform(onBytes: (bytes: number) => Error | undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const error = onBytes(chunk.length)
      if (error === undefined) done(null, chunk)
      else done(error)
    },
  })
}

/**
 * Returns a body without its content encoding. Some servers declare the compression of an archive as an
 * encoding; then the name decides, and the bytes are unchanged. A body that expands excessively ends in a
 * `RemoteFault`.
 */
export function decodedBody(body: Readable, encoding: string | undefined, name: string): Readable {
  const coding = encoding?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return body
  const isPackedFile = /gzip$/.test(coding) && /\.(gz|tgz|gzip)$/i.test(name)
  if (isPackedFile) return body
  const decoder = ownValue(decoders, coding)
  if (decoder === undefined) {
    body.destroy()
    throw new RemoteFault(`the server sends the unknown encoding "${coding.slice(0, 40)}"`, {
      isPassing: false,
    })
  }
  let packed = 0
  let expanded = 0
  return pipeline(
    body,
    countingTransform((bytes) => {
      packed += bytes
      return undefined
    }),
    decoder(),
    countingTransform((bytes) => {
      expanded += bytes
      if (expanded <= ratioFloorBytes || expanded <= packed * maxRatio) return undefined
      return new RemoteFault(`its content encoding expands to more than ${maxRatio} times its size`, {
        isPassing: false,
      })
    }),
    () => undefined,
  )
}
