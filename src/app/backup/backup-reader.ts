import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { copyFile, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import type { BackupManifest } from './manifest.ts'
import { manifestName, readManifest, requireInside } from './manifest.ts'

const gzipMagic = 0x1f8b

/** Unpacks a backup, a folder or an archive, into an empty folder, and verifies all checksums. */
export async function unpackBackup(
  source: string,
  folder: string,
  onFile: (name: string) => void = () => undefined,
): Promise<BackupManifest> {
  if (statSync(source).isDirectory()) {
    const manifest = readManifest(join(source, manifestName))
    for (const { name } of [...manifest.files, { name: manifestName }]) {
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o750 })
      await copyFile(join(source, name), join(folder, name))
      onFile(name)
    }
  } else await unpackArchive(source, folder, onFile)
  const manifest = readManifest(join(folder, manifestName))
  await verifyFiles(folder, manifest)
  return manifest
}

async function unpackArchive(source: string, folder: string, onFile: (name: string) => void): Promise<void> {
  const archive = extract()
  archive.on('entry', (header, bytes, next) => {
    const write = async (): Promise<void> => {
      if (header.type !== 'file')
        throw new Error(`The backup has an entry "${header.name}" that is not a file`)
      requireInside(header.name)
      await mkdir(dirname(join(folder, header.name)), { recursive: true, mode: 0o750 })
      await pipeline(bytes, createWriteStream(join(folder, header.name), { mode: 0o600 }))
      onFile(header.name)
    }
    write().then(() => next(), next)
  })
  const file = createReadStream(source)
  if (await isGzip(source)) await pipeline(file, createGunzip(), archive)
  else await pipeline(file, archive)
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.readUInt16BE(0) === gzipMagic
  } finally {
    await handle.close()
  }
}

/** Verifies the files of a backup. Throws an `Error` that names the first one that differs. */
async function verifyFiles(folder: string, { files }: BackupManifest): Promise<void> {
  for (const { name, sizeBytes, sha256 } of files) {
    const hash = createHash('sha256')
    let found = 0
    const check = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) {
        hash.update(chunk)
        found += chunk.length
      }
    }
    await pipeline(createReadStream(join(folder, name)), check).catch((error: unknown) => {
      throw new Error(`The backup is damaged: ${name} cannot be read`, { cause: error })
    })
    if (found !== sizeBytes || hash.digest('hex') !== sha256)
      throw new Error(`The backup is damaged: ${name} is not what was backed up`)
  }
}
