import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Readable as ReadableStream } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { SingleFlight } from '../concurrency/single-flight.ts'
import type { S3Settings } from '../config/file-settings.ts'
import { fileMissing, filesUnavailable, localFailure } from './failures.ts'
import type {
  FileRange,
  FileStore,
  GdalPath,
  LocalFile,
  PutOptions,
  SignedUrlOptions,
  StoredObject,
} from './file-store.ts'
import { requireKey, requireKeyPrefix } from './file-store.ts'
import { clientConfig, explainForOperator, gdalEnvironment, isMissing, silenceMs } from './s3-client.ts'
import { isLocal, type Scratch } from './scratch.ts'
import { watchSilence } from './watch-silence.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

/** Parts of an upload: at most two are in memory. */
const partBytes = 8 << 20
const partsAtOnce = 2

interface S3StoreDeps {
  settings: S3Settings
  scratch: Scratch
  /** Folder of the local copies. */
  folder: string
}

/** Stores files as objects of a bucket; local copies are in the scratch folder. */
export class S3Store implements FileStore {
  readonly kind = 's3'
  readonly #deps: S3StoreDeps
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #downloads = new SingleFlight<string, void>()

  private constructor(deps: S3StoreDeps, sdk: Sdk, client: S3Client) {
    this.#deps = deps
    this.#sdk = sdk
    this.#client = client
  }

  static async open(deps: S3StoreDeps): Promise<S3Store> {
    const sdk = await import('@aws-sdk/client-s3')
    return new S3Store(deps, sdk, new sdk.S3Client(clientConfig(deps.settings)))
  }

  async put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    { signal, mediaType }: PutOptions = {},
  ): Promise<{ sizeBytes: number }> {
    signal?.throwIfAborted()
    const { Upload } = (await import('@aws-sdk/lib-storage')).default
    let sizeBytes = 0
    let fault: { error: unknown } | undefined
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of source) {
          sizeBytes += chunk.byteLength
          yield chunk
        }
      } catch (error) {
        fault = { error }
        throw error
      }
    }
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: ReadableStream.from(counted()), ContentType: mediaType },
      partSize: partBytes,
      queueSize: partsAtOnce,
    })
    const stop = (): void => void upload.abort()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await upload.done()
      return { sizeBytes }
    } catch (error) {
      signal?.throwIfAborted()
      throw fault === undefined ? filesUnavailable(error) : fault.error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async get(
    key: string,
    { range, signal }: { range?: FileRange; signal?: AbortSignal } = {},
  ): Promise<Readable> {
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`
    const command = new this.#sdk.GetObjectCommand({ ...this.#at(key), Range })
    try {
      const { Body } = await this.#client.send(command, quick(signal))
      return watchSilence(Body as Readable, silenceMs, filesUnavailable)
    } catch (error) {
      signal?.throwIfAborted()
      throw isMissing(error) ? fileMissing(error) : filesUnavailable(error)
    }
  }

  async findSize(key: string, signal?: AbortSignal): Promise<number | undefined> {
    const command = new this.#sdk.HeadObjectCommand(this.#at(key))
    try {
      const { ContentLength } = await this.#client.send(command, quick(signal))
      return ContentLength ?? 0
    } catch (error) {
      signal?.throwIfAborted()
      if (isMissing(error)) return undefined
      throw filesUnavailable(error)
    }
  }

  async localPath(key: string, signal?: AbortSignal): Promise<LocalFile> {
    const path = join(this.#deps.folder, requireKey(key))
    const entry = this.#deps.scratch.enter(path)
    try {
      if (!(await isLocal(path))) {
        await this.#downloads.run(path, () => this.#download(key, path, (bytes) => entry.resize(bytes)))
      }
      signal?.throwIfAborted()
      return { path, release: entry.release }
    } catch (error) {
      entry.release()
      throw localFailure(error)
    }
  }

  gdalPath(key: string): GdalPath {
    const { bucket, prefix } = this.#deps.settings
    return { path: `/vsis3/${bucket}/${prefix}${requireKey(key)}`, env: gdalEnvironment(this.#deps.settings) }
  }

  async signedUrl(key: string, { expiresSeconds, fileName, mediaType }: SignedUrlOptions): Promise<string> {
    const { getSignedUrl } = (await import('@aws-sdk/s3-request-presigner')).default
    const disposition =
      fileName === undefined ? undefined : `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`
    const command = new this.#sdk.GetObjectCommand({
      ...this.#at(key),
      ResponseContentDisposition: disposition,
      ResponseContentType: mediaType,
    })
    return getSignedUrl(this.#client, command, { expiresIn: expiresSeconds })
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoredObject> {
    const { bucket: Bucket, prefix: own } = this.#deps.settings
    const Prefix = own + requireKeyPrefix(prefix)
    let token: string | undefined
    do {
      const command = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token })
      const page = await this.#client.send(command, quick(signal)).catch((error: unknown) => {
        signal?.throwIfAborted()
        throw filesUnavailable(error)
      })
      for (const { Key = '', Size = 0 } of page.Contents ?? [])
        if (!Key.endsWith('/')) yield { key: Key.slice(own.length), sizeBytes: Size }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  /** One request for each object: some stores take no list, or only with a checksum that others refuse. */
  async remove(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const key of keys) {
      const command = new this.#sdk.DeleteObjectCommand(this.#at(key))
      await this.#client.send(command, quick(signal)).catch((error: unknown) => {
        signal?.throwIfAborted()
        if (!isMissing(error)) throw filesUnavailable(error)
      })
      await this.#deps.scratch.drop(join(this.#deps.folder, key))
    }
  }

  async check(signal?: AbortSignal): Promise<void> {
    const key = `check/${randomBytes(8).toString('hex')}`
    const at = this.#at(key)
    const { settings } = this.#deps
    const attempt = async (action: string, work: () => Promise<unknown>): Promise<void> => {
      await work().catch((error: unknown) => {
        signal?.throwIfAborted()
        throw new Error(`Files cannot be stored: ${explainForOperator(error, settings, action)}`, {
          cause: error,
        })
      })
    }
    const sent = quick(signal)
    const { sdk, client } = { sdk: this.#sdk, client: this.#client }
    await attempt('list objects', () =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: settings.bucket,
          Prefix: `${settings.prefix}check/`,
          MaxKeys: 1,
        }),
        sent,
      ),
    )
    await attempt('write objects', () =>
      client.send(new sdk.PutObjectCommand({ ...at, Body: 'terrane' }), sent),
    )
    await attempt('read objects', async () => {
      const { Body } = await client.send(new sdk.GetObjectCommand(at), sent)
      await Body?.transformToByteArray()
    })
    await attempt('remove objects', () => client.send(new sdk.DeleteObjectCommand(at), sent))
  }

  close(): void {
    this.#client.destroy()
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#deps.settings.bucket, Key: this.#deps.settings.prefix + requireKey(key) }
  }

  /** Downloads for whoever waits: the request that came first may end earlier than the others. */
  async #download(key: string, path: string, resize: (bytes: number) => Promise<void>): Promise<void> {
    const sizeBytes = await this.findSize(key)
    if (sizeBytes === undefined) throw fileMissing()
    await resize(sizeBytes)
    const unfinished = `${path}.${randomBytes(6).toString('hex')}.part~`
    try {
      await pipeline(await this.get(key), createWriteStream(unfinished, { flags: 'wx', mode: 0o640 }))
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true })
      await resize(0)
      throw localFailure(error)
    }
  }
}

function quick(signal: AbortSignal | undefined): { abortSignal?: AbortSignal; requestTimeout: number } {
  return { abortSignal: signal, requestTimeout: silenceMs }
}
