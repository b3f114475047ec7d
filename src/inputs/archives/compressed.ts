import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { ArchiveKind } from './archive-kind.ts'
import { runSevenZip } from './seven-zip-program.ts'
import { unpackTar } from './tar.ts'
import type { Unpacking } from './unpacking.ts'

type Compression = 'gzip' | 'bzip2' | 'xz'

const tarBlockBytes = 512
const tarMagicAt = 257

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openGuarded(path)
  yield* handle.createReadStream()
}

function gunzip(path: string): AsyncIterable<Uint8Array> {
  return pipeline(readPieces(path), createGunzip(), () => undefined)
}

function decompress(path: string, compression: Compression, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (compression === 'gzip') return gunzip(path)
  return runSevenZip(path, ['x', '-so', `-t${compression}`], signal)
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  unpacking: Unpacking,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    unpacking.signal.throwIfAborted()
    unpacking.expand(chunk.length)
    yield chunk
  }
}

/** Returns the first bytes of a stream, at least `requestedBytes` if it has that many. */
async function readHead(content: AsyncIterator<Uint8Array>, requestedBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes < requestedBytes; ) {
    const step = await content.next()
    if (step.done === true) break
    chunks.push(step.value)
    bytes += step.value.length
  }
  return Buffer.concat(chunks)
}

async function* join(head: Uint8Array, rest: AsyncGenerator<Uint8Array, void, undefined>) {
  yield head
  yield* rest
}

function isTar(head: Buffer): boolean {
  return head.toString('latin1', tarMagicAt, tarMagicAt + 5) === 'ustar'
}

/** Unpacks one compressed stream: a tar archive, else one file named `name`. */
async function unpackCompressed(
  path: string,
  compression: Compression,
  name: string,
  unpacking: Unpacking,
): Promise<void> {
  const content = counted(decompress(path, compression, unpacking.signal), unpacking)
  try {
    const head = await readHead(content, tarBlockBytes)
    const whole = join(head, content)
    if (isTar(head)) return await unpackTar(whole, unpacking)
    const admitted = unpacking.admit(name, { isFolder: false })
    if (admitted !== undefined) await unpacking.write(admitted, whole)
  } finally {
    await content.return()
  }
}

/**
 * Unpacks a tar archive, compressed or not. Old archives without magic bytes are recognized by their name.
 */
async function unpackTarFile(
  path: string,
  compression: Compression | undefined,
  unpacking: Unpacking,
): Promise<void> {
  const bytes = compression === undefined ? readPieces(path) : decompress(path, compression, unpacking.signal)
  await unpackTar(counted(bytes, unpacking), unpacking)
}

function tarKind(name: string, compression: Compression | undefined, endings: string[]): ArchiveKind {
  return { name, endings, unpack: (path, unpacking) => unpackTarFile(path, compression, unpacking) }
}

function fileKind(name: Compression, ending: string): ArchiveKind {
  return {
    name,
    endings: [ending],
    unpack: (path, unpacking) =>
      unpackCompressed(path, name, unpacking.name.slice(0, -ending.length), unpacking),
  }
}

/** Tar archives, compressed or not. */
export const tarFiles: readonly ArchiveKind[] = [
  { ...tarKind('tar', undefined, ['.tar']), mediaTypes: ['application/x-tar'] },
  tarKind('tar.gz', 'gzip', ['.tar.gz', '.tgz']),
  tarKind('tar.bz2', 'bzip2', ['.tar.bz2', '.tbz2']),
  tarKind('tar.xz', 'xz', ['.tar.xz', '.txz']),
]

/** Kinds with one compressed file, or a tar archive without that in its name. */
export const compressedFiles: readonly ArchiveKind[] = [
  {
    ...fileKind('gzip', '.gz'),
    mediaTypes: ['application/gzip', 'application/x-gzip'],
    beginning: [0x1f, 0x8b],
  },
  fileKind('bzip2', '.bz2'),
  fileKind('xz', '.xz'),
]
