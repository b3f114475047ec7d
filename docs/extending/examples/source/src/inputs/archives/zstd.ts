import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { ArchiveKind } from './archive-kind.ts'
import type { Unpacking } from './unpacking.ts'

const ending = '.zst'

/** Everything that comes out counts against the limits before it is written. */
async function* expand(path: string, unpacking: Unpacking): AsyncGenerator<Uint8Array> {
  const file = await openGuarded(path)
  for await (const chunk of pipeline(file.createReadStream(), createZstdDecompress(), () => undefined)) {
    unpacking.signal.throwIfAborted()
    unpacking.expand(chunk.length)
    yield chunk
  }
}

/** One file, compressed by Zstandard (RFC 8878). */
export const zstd: ArchiveKind = {
  name: 'zstd',
  endings: [ending],
  mediaTypes: ['application/zstd'],
  beginning: [0x28, 0xb5, 0x2f, 0xfd],
  unpack: async (path, unpacking) => {
    const name = unpacking.admit(unpacking.name.slice(0, -ending.length), { isFolder: false })
    if (name !== undefined) await unpacking.write(name, expand(path, unpacking))
  },
}
